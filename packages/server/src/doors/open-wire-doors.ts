// Ports first, as the server does it: a taken one is known before anything is opened. Then, over the house, the doors.
import { type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import { type Door, openDoor } from '../open-door.ts'
import type { ConfigShelf } from '../open-house.ts'
import type { RateLimits } from '../requests/rate-limits.ts'
import { serveApp } from '../serve-app.ts'
import type { WireDeps } from '../wires/wire.ts'
import { createDoorApp, doorHost } from './create-door-app.ts'
import { type DoorPlan, type ServedDoor, usualDoorPorts } from './door-plan.ts'
import { doorSessions } from './door-sessions.ts'
import { refuseUnsafeDoor } from './refuse-unsafe-door.ts'

export interface PlannedDoor {
  readonly plan: DoorPlan
  readonly door: Door
}

export interface WireDoorDeps extends Omit<WireDeps, 'agent' | 'openMeter'> {
  readonly agents: ConfigShelf
  readonly rateLimits: RateLimits
  readonly metrics: ServerMetrics
}

/** Takes the ports. Whoever connects waits until the doors are open. */
export async function takeDoorPorts(plans: readonly DoorPlan[]): Promise<readonly PlannedDoor[]> {
  const taken: PlannedDoor[] = []
  try {
    for (const plan of plans) taken.push({ plan, door: await takePort(plan) })
    return taken
  } catch (error) {
    await closeDoors(taken, 0)
    throw error
  }
}

const takePort = ({ wire, port }: DoorPlan): Promise<Door> =>
  openDoor(doorHost, port ?? usualDoorPorts[wire], {
    isExact: port !== undefined,
    mend: `choose another port for this door: --door ${wire}:PORT`,
  })

export async function closeDoors(doors: readonly PlannedDoor[], graceMs: number): Promise<void> {
  await Promise.all(doors.map(({ door }) => door.close(graceMs)))
}

/** Throws where a door may not be opened: nothing answers at any of them then. */
export async function openWireDoors(
  planned: readonly PlannedDoor[],
  deps: WireDoorDeps,
): Promise<readonly ServedDoor[]> {
  const named: { readonly planned: PlannedDoor; readonly agent: string }[] = []
  for (const one of planned) named.push({ planned: one, agent: await agentOf(one.plan, deps.agents) })
  return named.map(({ planned: { plan, door }, agent }) => {
    const { wire, origins = [] } = plan
    const sessionsOf = (principal: Principal) => doorSessions(principal, { ...deps, agent })
    serveApp(door, createDoorApp({ ...deps, sessionsOf, wire, agent, origins }), deps.logger)
    return { wire, url: door.url, agent }
  })
}

async function agentOf({ wire, agent }: DoorPlan, agents: ConfigShelf): Promise<string> {
  const loaded = await agents.loaded()
  const [only, ...others] = loaded
  if (agent === undefined && (only === undefined || others.length > 0)) {
    const names = loaded.map(({ name }) => name).join(', ')
    throw new QuarterdeckError(
      'agent.not-found',
      `say whose door "${wire}" is: --agent NAME, one of ${names || 'none'}`,
    )
  }
  const { name } = await agents.load(agent ?? only?.name ?? '')
  refuseUnsafeDoor(name, loaded)
  return name
}
