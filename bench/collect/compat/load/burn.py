import threading, time
def inner(n):
    s = 0
    for i in range(n): s += i * i
    return s
class Work:
    def outer(self): return inner(20000)
def run():
    w = Work()
    while True: w.outer(); time.sleep(0.002)
threading.Thread(target=run, name="py-worker").start()
