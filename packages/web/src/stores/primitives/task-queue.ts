/** Runs what it is given one after another, in the order it was given. A task that fails holds up none behind it. */
export function createTaskQueue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const next = last.then(task)
    last = next.catch(() => undefined) // whoever gave it hears of it
    return next
  }
}
