// Each class declares fields of its own, and V8 asks its runtime for the fields of the
// base class of all of them: a shape for every class, and no table for declared fields.
class Base {
  parent = null;
  next = null;
}

const kinds = [];
for (let i = 0; i < 8; i++) {
  kinds.push(
    class extends Base {
      constructor(value) {
        super();
        this["kind" + i] = value;
      }
    },
  );
}

let sum = 0;
for (let i = 0; i < 400000; i++) {
  const node = new kinds[i % kinds.length](i);
  if (node.parent === null) sum += i % 7;
}
console.log(sum);
