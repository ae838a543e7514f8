% OP LENGTH ROUNDS: an operation on a container of that length, once a round.
1;
function work(i)
  global other
  other(mod(i, 64) + 1) = i;
end
function r = grown(i)
  global items
  copy = items;
  copy(end+1) = i; % WASTE grown
  r = numel(copy);
end
function r = joined(i)
  global items
  r = numel([items, i]); % WASTE joined
end
function r = texts(i)
  global str
  r = numel([str, num2str(i)]); % WASTE texts
end
function r = member(i)
  global items
  r = any(items == -i); % WASTE member
end
function r = ismem(i)
  global items
  r = ismember(-i, items); % WASTE ismem
end
function r = celled(i)
  global list
  copy = list;
  copy{end+1} = i; % WASTE celled
  r = numel(copy);
end
function r = behead(i)
  global items
  copy = items;
  copy(1) = []; % WASTE behead
  r = numel(copy);
end
function r = found(i)
  global items
  r = find(items == i); % WASTE found
end
global other items str list
other = zeros(1, 64);
arguments = argv();
n = str2num(arguments{2});
items = 1:n;
items(1) = 1;
str = repmat('x', 1, n);
list = num2cell(items);
run = str2func(arguments{1});
for i = 1:str2num(arguments{3})
  run(i);
  work(i);
end
