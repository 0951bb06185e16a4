export type SerialQueue = ReturnType<typeof createSerialQueue>

/** Runs tasks one at a time, in call order. A failed task rejects only its own promise; the next task still runs. */
export function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(task: () => Promise<Result>): Promise<Result> => {
    const done = last.then(task, task)
    last = done
    return done
  }
}
