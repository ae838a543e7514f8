'use strict';
const users = [];
for (let i = 0; i < 5000; i++) users.push({ id: 'u' + (i * 7919) % 99991, score: i % 17 });
const events = [];
for (let i = 0; i < 120000; i++) events.push({ user: users[(i * 31) % 5000].id, points: i % 5 });

function apply(events, users) {
  for (const event of events) {
    for (let i = 0; i < users.length; i++) {
      if (users[i].id === event.user) {  // WASTE
        users[i].score += event.points;
        break;
      }
    }
  }
}
apply(events, users);
console.log(users.reduce((a, u) => a + u.score, 0));
