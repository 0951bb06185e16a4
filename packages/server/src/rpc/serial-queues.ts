type SerialQueues = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

/** One queue per name, removed when it is empty. Unlike `createSerialQueue`, it starts work at once if nothing waits. */
export function createSerialQueues(): SerialQueues {
  const last = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const before = last.get(name)
    const result = before === undefined ? work() : before.then(work, work)
    last.set(name, result)
    const done = () => {
      if (last.get(name) === result) last.delete(name)
    }
    result.then(done, done)
    return result
  }
}
