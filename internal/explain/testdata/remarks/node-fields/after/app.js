// The base class sets its properties in the constructor.
class Base {
  constructor() {
    this.parent = null;
    this.next = null;
  }
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
