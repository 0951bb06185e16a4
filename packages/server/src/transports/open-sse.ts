// Opens an event stream: sets its headers and links the signals that end it.
import { ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { type SseSource, streamEvents } from './sse.ts'
import type { StreamDeps } from './stream-deps.ts'

export type SseContent = Pick<SseSource, 'feed' | 'write' | 'prelude'>

/** Starts the feed, except for a HEAD request, and ends it once. */
export function openSse(c: Context<AppEnv>, deps: StreamDeps, { feed, ...content }: SseContent): Response {
  c.header('content-type', 'text/event-stream; charset=utf-8')
  c.header('cache-control', 'no-cache, no-transform')
  c.header('x-accel-buffering', 'no')
  if (c.req.method === 'HEAD') return c.body(null)
  const outgoing = c.env?.outgoing
  // Not chunked: the stream ends with its connection, and a frame is one write instead of three.
  outgoing?.removeHeader('transfer-encoding')
  const key = c.get('key')
  const watched = key === null ? null : deps.keyWatch.watch(key)
  const closed = deps.onOpened?.('sse')
  return c.body(
    streamEvents({
      ...content,
      feed: (sink, signal) =>
        feed(sink, signal).finally(() => {
          watched?.release()
          closed?.()
        }),
      signals: [c.req.raw.signal, deps.closing, ...(watched === null ? [] : [watched.revoked])],
      timing: deps.timing,
      connection: outgoing instanceof ServerResponse ? outgoing : null,
      onFailure: (error) => deps.logger.error({ path: c.req.path, error }, 'an event stream failed'),
    }),
  )
}
