// An index is reduced with spread.
const n = Number(process.argv[2]);
const users = Array.from({ length: n }, (_, i) => ({ id: 'u' + i, name: 'name ' + i }));
const byId = users.reduce((all, user) => ({ ...all, [user.id]: user.name }), {}); // WASTE
console.log(Object.keys(byId).length);
