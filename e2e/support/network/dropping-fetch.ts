// A fetch whose event streams break after every event or at a random byte.

/** Ends the stream after the first event that advances the cursor. */
export const dropAfterEveryEvent = (onDrop: () => void): typeof fetch =>
  dropping(() => {
    let text = ''
    return (chunk) => {
      const at = text.length
      text += Buffer.from(chunk).toString('latin1')
      const end = /(?:^|\n)id: \d+\n[^\n]*\n\n/.exec(text)
      if (end === null) return null
      onDrop()
      return end.index + end[0].length - at
    }
  })

/** Ends the stream anywhere: usually early and within an event, sometimes late enough for the longest event. */
export const dropAtRandom = (random: () => number, onDrop: () => void): typeof fetch =>
  dropping(() => {
    let left = Math.floor(random() ** 4 * 40_000)
    return (chunk) => {
      if (left >= chunk.length) {
        left -= chunk.length
        return null
      }
      onDrop()
      return left
    }
  })

/** The same numbers for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** The number of bytes of a chunk that still pass. `null` for all of them. */
type Cut = (chunk: Uint8Array) => number | null

function dropping(newCut: () => Cut): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (!isStream || response.body === null) return response
    return new Response(cutShort(response.body, newCut()), response)
  }
}

function cutShort(body: ReadableStream<Uint8Array>, cut: Cut): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      const through = cut(value)
      if (through === null) return controller.enqueue(value)
      if (through > 0) controller.enqueue(value.subarray(0, through))
      controller.close()
      await reader.cancel()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
