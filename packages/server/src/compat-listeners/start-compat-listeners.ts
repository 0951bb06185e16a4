// Binds all ports first, so that a taken port is known before the runtime opens; then serves the applications.
import type { FileAgentRegistry } from '@quarterdeck/engine'
import { type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import { type HttpListener, listen } from '../http/listen.ts'
import { serveApp } from '../http/serve-app.ts'
import { type CompatListenerPlan, defaultCompatPorts, type ServedCompatListener } from './compat-listener-plan.ts'
import { compatSessions } from './compat-sessions.ts'
import { compatHost, createCompatApp, type SharedCompatDeps } from './create-compat-app.ts'
import { refuseUnsafeAgent } from './refuse-unsafe-agent.ts'

export interface PlannedCompatListener {
  readonly plan: CompatListenerPlan
  readonly listener: HttpListener
}

export interface CompatListenerDeps extends SharedCompatDeps {
  readonly agents: FileAgentRegistry
}

/** Binds the ports. Clients that connect wait until the applications are served. */
export async function bindCompatPorts(plans: readonly CompatListenerPlan[]): Promise<readonly PlannedCompatListener[]> {
  const taken: PlannedCompatListener[] = []
  try {
    for (const plan of plans) taken.push({ plan, listener: await takePort(plan) })
    return taken
  } catch (error) {
    await closeCompatListeners(taken, 0)
    throw error
  }
}

const takePort = ({ wire, port }: CompatListenerPlan): Promise<HttpListener> =>
  listen(compatHost, port ?? defaultCompatPorts[wire], {
    isExact: port !== undefined,
    hint: `choose another port for this compatibility listener: --compat ${wire}:PORT`,
  })

export async function closeCompatListeners(
  compatListeners: readonly PlannedCompatListener[],
  graceMs: number,
): Promise<void> {
  await Promise.all(compatListeners.map(({ listener }) => listener.close(graceMs)))
}

/** Throws if a listener is not allowed; then none of them is served. */
export async function startCompatListeners(
  planned: readonly PlannedCompatListener[],
  deps: CompatListenerDeps,
): Promise<readonly ServedCompatListener[]> {
  const named: { readonly planned: PlannedCompatListener; readonly agent: string }[] = []
  for (const one of planned) named.push({ planned: one, agent: await agentOf(one.plan, deps.agents) })
  return named.map(({ planned: { plan, listener }, agent }) => {
    const { wire, origins = [] } = plan
    const sessionsOf = (principal: Principal) => compatSessions(principal, { ...deps, agent })
    serveApp(listener, createCompatApp({ ...deps, sessionsOf, wire, agent, origins }), deps.logger)
    return { wire, url: listener.url, agent }
  })
}

async function agentOf({ wire, agent }: CompatListenerPlan, agents: FileAgentRegistry): Promise<string> {
  const loaded = await agents.loaded()
  const [only, ...others] = loaded
  if (agent === undefined && (only === undefined || others.length > 0)) {
    const names = loaded.map(({ name }) => name).join(', ')
    throw new QuarterdeckError(
      'agent.not-found',
      `name the agent of the compatibility listener "${wire}": --agent NAME, one of ${names || 'none'}`,
    )
  }
  const { name } = await agents.load(agent ?? only?.name ?? '')
  refuseUnsafeAgent(name, loaded)
  return name
}
