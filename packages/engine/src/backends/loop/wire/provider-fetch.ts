// `fetch` for providers: it follows no redirect away from the configured endpoint and limits the size of responses.
import { WireFailure } from './wire-failure.ts'

/** Bytes of one event. The clients parse an unfinished event again with every chunk. */
const longestEvent = 2 * 1024 * 1024
/** Bytes of an error that are read. */
const longestError = 256 * 1024

/** Like `fetch`, for event streams. Throws `WireFailure` if the response cannot be one. */
export const providerFetch: typeof fetch = async (input, init) => {
  // The target of a redirect would receive the conversation and some keys.
  const response = await fetch(input, { ...init, redirect: 'manual' })
  const { status, statusText, headers, body } = response
  const refusal = refusalOf(response)
  if (refusal !== null) {
    await body?.cancel()
    throw refusal
  }
  if (body === null) return response
  if (!response.ok) return new Response(body.pipeThrough(cutOff()), { status, statusText, headers })
  boundEvents(body)
  return response
}

function refusalOf({ status, headers, body, ok }: Response): WireFailure | null {
  if (status >= 300 && status < 400) return new WireFailure(elsewhere(headers.get('location')), { status })
  if (!ok) return null
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (noStream.test(type)) return new WireFailure(`the provider answered ${type}, not a stream: ${remedy}`)
  const isEmpty = body === null || headers.get('content-length') === '0'
  return isEmpty ? new WireFailure(`the provider answered ${status} with nothing, not a stream: ${remedy}`) : null
}

const remedy = 'check model.endpoint'

/** Some servers send another content type for a stream, or none. These types are never a stream. */
const noStream = /html|json|xml|^image\//

function elsewhere(location: string | null): string {
  const host = location !== null && URL.canParse(location) ? new URL(location).host : 'another address'
  return `the provider redirects to ${host}: set model.endpoint to the final address`
}

/**
 * The clients read the body directly: a transform stream would cost more per chunk than everything else. An event ends
 * with an empty line.
 */
function boundEvents(body: ReadableStream<Uint8Array>): void {
  let bytes = 0
  let before = nothing
  const check = (chunk: Uint8Array): void => {
    // Nearly every chunk consists of complete events.
    if (chunk.at(-1) === lineEnd && chunk.at(-2) === lineEnd) {
      bytes = 0
      before = nothing
      return
    }
    const seen = Buffer.concat([before, chunk])
    const end = Math.max(...eventEnds.map((mark) => seen.lastIndexOf(mark)))
    bytes = end === -1 ? bytes + chunk.length : seen.length - end
    // The end of an event may be split across two chunks.
    before = seen.subarray(-3)
    if (bytes <= longestEvent) return
    throw new WireFailure(`the provider sent more than ${longestEvent / 1024 / 1024} MiB at once`)
  }
  const walk = () => {
    const chunks = body.values()
    const checked = (step: IteratorResult<Uint8Array>) => {
      if (step.done !== true) check(step.value)
      return step
    }
    return {
      next: () => chunks.next().then(checked),
      return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
    }
  }
  Object.defineProperty(body, Symbol.asyncIterator, { value: walk })
}

const nothing = Buffer.alloc(0)
const lineEnd = 10
const eventEnds = ['\n\n', '\r\r', '\r\n\r\n'] as const

function cutOff() {
  let bytes = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, longestError - bytes))
      bytes += chunk.length
      if (bytes >= longestError) controller.terminate()
    },
  })
}
