// The session service as each principal may use it. Sessions of other owners return not-found.
import {
  implementationOf,
  keyOperations,
  mapOperations,
  type Operation,
  type OperationFunction,
  type OperationName,
  type PathIdName,
  type Principal,
  pathNames,
  requireScope,
  type SessionId,
  sessionServiceOperations,
  unknownId,
  withParsedInput,
} from '@quarterdeck/protocol'
import {
  inProcessOperations,
  type SessionMethods,
  type SessionOperations,
  type SessionService,
} from '../sessions/session-service.ts'
import type { EventStore } from '../store/ports/event-store.ts'
import type { KeyOperations } from './key-ring.ts'

export interface OwnSessionsOptions {
  readonly operations: SessionOperations
  /** The same for every principal. */
  readonly keyOperations: KeyOperations
  readonly store: Pick<EventStore, 'findAsk' | 'load'>
}

export interface OwnSessions {
  readonly sessions: SessionService
  /** For callers that have parsed the input. */
  readonly operations: SessionOperations & KeyOperations
}

/** The checks are part of the operations, so that no transport can omit them. */
export function createOwnSessions({
  operations: all,
  keyOperations: keys,
  store,
}: OwnSessionsOptions): (principal: Principal) => OwnSessions {
  const lookups: Lookups = { ownerOf: createSessionOwners(store), findAsk: store.findAsk }
  // Each request has its own principal object. The services of up to 1000 principals are kept.
  const services = new Map<string, OwnSessions>()
  return (principal) => {
    const key = JSON.stringify([principal.name, principal.owner, principal.scope])
    const known = services.get(key)
    if (known !== undefined) return known
    const owned = withOwner(all, principal)
    const limited = <Service extends SessionMethods>(service: Service, table: OperationTable): Service =>
      principal.scope === 'admin' ? service : guarded(service, table, { lookups, principal })
    // Input is parsed after the checks, so that a caller without permission learns nothing else.
    const parsing = withParsedInput<SessionService>(inProcessOperations, owned)
    const made = {
      sessions: limited(parsing, sessionServiceOperations),
      operations: limited({ ...owned, ...keys }, { ...sessionServiceOperations, ...keyOperations }),
    }
    if (services.size >= 1000) services.clear()
    services.set(key, made)
    return made
  }
}

/** A new session belongs to the owner of the key that starts it. */
const withOwner = (sessions: SessionOperations, { name, owner, scope }: Principal): SessionOperations => ({
  ...sessions,
  // A model without a known price has no dollar limit: only admins may choose a model outside the catalog.
  createSession: (body, ...rest) =>
    sessions.createSession({ ...body, owner, ...(scope !== 'admin' && { isCatalogOnly: true }) }, ...rest),
  changeSession: (sessionId, body, by) =>
    sessions.changeSession(sessionId, { ...body, ...(scope !== 'admin' && { isWithinFile: true }) }, by),
  fork: (sessionId, body, ...rest) => sessions.fork(sessionId, { ...body, owner }, ...rest),
  listBudgets: (spender) =>
    sessions.listBudgets(scope === 'admin' && spender === undefined ? {} : { ...spender, owner, startedBy: name }),
})

interface Lookups {
  /** `null` for an unknown session. */
  readonly ownerOf: (sessionId: SessionId) => Promise<string | null>
  readonly findAsk: EventStore['findAsk']
}

type OperationTable = Readonly<Record<string, Operation>>

/** `table` lists the operations of `sessions`. */
function guarded<Service extends SessionMethods>(
  sessions: Service,
  table: OperationTable,
  { lookups, principal }: { readonly lookups: Lookups; readonly principal: Principal },
): Service {
  const limit = limitTo(principal.owner, lookups)
  const guards = mapOperations<Pick<Service, keyof Service & OperationName>>(
    table,
    (operation, name) =>
      async (...args) => {
        if (operation.permission !== 'nothing') requireScope(principal.scope, operation.permission)
        return limit.run(operation, implementationOf(sessions, name), args)
      },
  )
  return {
    ...sessions,
    ...guards,
    follow: (sessionId, after, signal) =>
      followOwn(() => limit.requireOwn(sessionId), sessions.follow(sessionId, after, signal)),
    feed: async (from, sink) => {
      await limit.requireOwn(from.sessionId)
      await sessions.feed(from, sink)
    },
  }
}

/**
 * Runs operations on the sessions of one owner, by `belongsTo` of the table. Arguments have the types that the table
 * declares.
 */
function limitTo(owner: string, { ownerOf, findAsk }: Lookups) {
  async function requireOwn(sessionId: SessionId, id: string = sessionId, name: PathIdName = 'sessionId') {
    if ((await ownerOf(sessionId)) !== owner) throw unknownId(name, id)
  }

  async function requireOwnAsk({ path }: Operation, id: string): Promise<void> {
    const [name] = pathNames(path)
    if (name === undefined) throw new Error(`${path} does not contain the id of an ask`)
    const sessionId = await findAsk(id as Parameters<typeof findAsk>[0])
    if (sessionId === null) throw unknownId(name, id)
    await requireOwn(sessionId, id, name)
  }

  async function ownItems(items: readonly { readonly sessionId: SessionId }[]) {
    const owners = await Promise.all(items.map(({ sessionId }) => ownerOf(sessionId)))
    return items.filter((_, index) => owners[index] === owner)
  }

  async function run(operation: Operation, act: OperationFunction, args: readonly unknown[]): Promise<unknown> {
    const { belongsTo } = operation
    if (belongsTo === 'none' || belongsTo === 'implementation') return act(...args)
    if (belongsTo === 'session') await requireOwn(args[0] as SessionId)
    else if (belongsTo === 'ask') await requireOwnAsk(operation, args[0] as string)
    else if ('owner' in belongsTo) {
      const query = args[0] as Readonly<Record<string, string>>
      const asked = query[belongsTo.owner] ?? owner
      // A query for another owner matches nothing: no owner has the empty name.
      return act({ ...query, [belongsTo.owner]: asked === owner ? owner : '' })
    } else {
      const named = belongsTo.session && (args[0] as Readonly<Record<string, unknown>>)[belongsTo.session]
      if (named !== undefined) await requireOwn(named as SessionId)
      const reply = (await act(...args)) as Readonly<Record<string, Parameters<typeof ownItems>[0]>>
      return { ...reply, [belongsTo.items]: await ownItems(reply[belongsTo.items] ?? []) }
    }
    return act(...args)
  }

  return { requireOwn, run }
}

async function* followOwn<Item>(check: () => Promise<void>, events: AsyncIterable<Item>): AsyncIterable<Item> {
  await check()
  yield* events
}

/** A session's owner never changes, so it is read once. This many are cached. */
const cacheSize = 10_000

function createSessionOwners(store: Pick<EventStore, 'load'>): Lookups['ownerOf'] {
  const owners = new Map<SessionId, string>()
  return async (sessionId) => {
    const known = owners.get(sessionId)
    if (known !== undefined) return known
    const state = await store.load(sessionId)
    if (state === null) return null
    const [oldest] = owners.keys()
    if (oldest !== undefined && owners.size >= cacheSize) owners.delete(oldest)
    owners.set(sessionId, state.owner)
    return state.owner
  }
}
