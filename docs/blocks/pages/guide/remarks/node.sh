#: needs node
#: CPU.….cpuprofile => CPU.*.cpuprofile
printf 'let total = 0\nfor (let i = 0; i < 3e7; i++) total = (total * 31 + i) %% 1000003\nconsole.log(total)\n' > app.js
