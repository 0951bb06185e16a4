export type RunInOrder = ReturnType<typeof createRunInOrder>

/** Runs each work after all earlier ones and before all later ones. A failure is the caller's and stops no other work. */
export function createRunInOrder() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work, work)
    last = done
    return done
  }
}
