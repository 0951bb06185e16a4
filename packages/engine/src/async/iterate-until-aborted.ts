/**
 * Ends when the signal aborts, even if the source never answers. Not a `for await`: leaving one waits for the source.
 * Not a race against one promise of the whole iteration: that would retain every step until its end. Hand-written,
 * because every token passes here.
 */
export function iterateUntilAborted<Item>(
  items: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncIterableIterator<Item> {
  const iterator = items[Symbol.asyncIterator]()
  let leave: () => void = () => undefined
  const onAbort = () => leave()
  const end = (): IteratorReturnResult<undefined> => {
    signal.removeEventListener('abort', onAbort)
    return { done: true, value: undefined }
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    next: () =>
      new Promise<IteratorResult<Item>>((resolve, reject) => {
        leave = () => resolve(end())
        if (signal.aborted) return leave()
        iterator.next().then(
          (step) => resolve(step.done === true ? end() : step),
          (error: unknown) => {
            end()
            reject(error)
          },
        )
      }),
    return: async () => end(),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
