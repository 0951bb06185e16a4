import { ensureAccessToken } from '../auth/access-token.ts'
import { createLoginLinks } from '../auth/login-links.ts'
import { openRuntime, type RuntimeOptions } from '../runtime/open-runtime.ts'
import { runtimeOptions, type Script } from '../runtime/runtime.fixture.ts'
import { type AppOptions, createApp } from './create-app.ts'
import { createSharedDeps, type SharedOptions } from './shared-deps.ts'

export interface Call {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type TestApp = Awaited<ReturnType<typeof openTestApp>>

type Change = Partial<AppOptions> & Pick<SharedOptions, 'keyCheckMs'> & { readonly runtime?: Partial<RuntimeOptions> }

/** The application over a real runtime, called without a socket. */
export async function openTestApp(script: Script = [], { keyCheckMs, runtime: changed, ...change }: Change = {}) {
  const options = { ...(await runtimeOptions(script)), ...changed }
  const runtime = await openRuntime({ ...options, role: 'server', address: null, canAsk: true })
  const accessToken = await ensureAccessToken(options.dataDir)
  const logged: { readonly level: string; readonly facts: object; readonly message: string }[] = []
  const logAt = (level: string) => (facts: object, message: string) => void logged.push({ level, facts, message })
  const logger = { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
  const loginLinks = createLoginLinks(Date.now)
  const closing = new AbortController()
  const state = { isDraining: false }
  const app = createApp({
    ...createSharedDeps(runtime, { logger, ...(keyCheckMs === undefined ? {} : { keyCheckMs }) }),
    accessToken,
    loginLinks,
    closing: closing.signal,
    checkStore: runtime.engine.check,
    dataDir: options.dataDir,
    webFolder: options.dataDir,
    host: '127.0.0.1',
    publicUrl: null,
    allowedOrigins: [],
    isDraining: () => state.isDraining,
    ...change,
  })

  /** Sends exactly these headers and a local Host. */
  const request = async (path: string, { method = 'GET', body, headers = {} }: Call = {}) =>
    app.request(path, {
      method,
      headers: { host: '127.0.0.1:4300', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

  /** Signed in, and with a JSON content type if there is a body. */
  const call = (path: string, { headers = {}, ...rest }: Call = {}) =>
    request(path, {
      ...rest,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(rest.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    })

  return {
    app,
    runtime,
    accessToken,
    loginLinks,
    logged,
    state,
    request,
    call,
    dataDir: options.dataDir,
    async close() {
      closing.abort()
      await runtime.close()
    },
  }
}
