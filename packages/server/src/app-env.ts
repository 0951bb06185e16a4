import type { HttpBindings } from '@hono/node-server'

/** What travels with a request. The bindings are missing where no socket is behind it, as in `app.request()`. */
export interface AppEnv {
  Bindings: Partial<HttpBindings>
  /** `key`: the key the request came with; `null` for the token of the data folder and for a browser. */
  Variables: { principal: string; requestId: string; key: string | null }
}
