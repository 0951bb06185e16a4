// `fetch` with a size limit, for MCP servers over HTTP.
import { longestMcpMessage, MessageTooLarge } from './message-too-large.ts'

/** Like `fetch`, but an oversized message breaks off the response and is reported. */
export function createBoundedFetch(onTooLarge: (error: MessageTooLarge) => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.body === null) return response
    const { status, statusText, headers } = response
    const isStream = headers.get('content-type')?.includes('text/event-stream') === true
    const body = response.body.pipeThrough(bounded(isStream, onTooLarge))
    const same = new Response(body, { status, statusText, headers })
    Object.defineProperty(same, 'url', { value: response.url })
    return same
  }
}

function bounded(isStream: boolean, onTooLarge: (error: MessageTooLarge) => void) {
  let bytes = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      // A stream may last for days: only data since the last line end counts.
      const lastEnd = isStream ? chunk.lastIndexOf(lineEnd) : -1
      bytes = lastEnd === -1 ? bytes + chunk.length : chunk.length - lastEnd
      if (bytes <= longestMcpMessage) return controller.enqueue(chunk)
      const error = new MessageTooLarge()
      onTooLarge(error)
      controller.error(error)
    },
  })
}

const lineEnd = 10
