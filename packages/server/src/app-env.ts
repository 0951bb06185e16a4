import type { HttpBindings } from '@hono/node-server'

/** What travels with a request. The bindings are missing where no socket is behind it, as in `app.request()`. */
export interface AppEnv {
  Bindings: Partial<HttpBindings>
  Variables: { principal: string; requestId: string }
}
