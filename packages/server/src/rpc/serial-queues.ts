/** Runs the work, behind what was handed in before under the same name. What has another name goes beside it. */
export type RunInOrder = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

export function createSerialQueues(): RunInOrder {
  const last = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const before = last.get(name)
    const turn = before === undefined ? work() : before.then(work, work)
    last.set(name, turn)
    const done = () => {
      if (last.get(name) === turn) last.delete(name)
    }
    turn.then(done, done)
    return turn
  }
}
