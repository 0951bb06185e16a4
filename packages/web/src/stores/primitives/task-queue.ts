/** Runs tasks one after another, in order. A failed task does not block the next one. */
export function createTaskQueue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const next = last.then(task)
    last = next.catch(() => undefined) // the caller handles the failure
    return next
  }
}
