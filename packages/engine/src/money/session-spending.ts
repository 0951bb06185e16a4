// Connects a session's requests and turns with the budget reservations, and records the results in the session's log.
import {
  type AgentDefinition,
  autoModel,
  type CatalogModel,
  defaultBudgetUsd,
  draft,
  type EventDraft,
  errorReasons,
  findModel,
  type LimitStop,
  type ModelRequest,
  type ModelUse,
  type ModelVerdict,
  type RequestName,
  type SessionEvent,
  type SessionId,
  type SessionState,
  starterOf,
  type Thinking,
  type TurnId,
} from '@quarterdeck/protocol'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { EventStore } from '../store/ports/event-store.ts'
import { type BudgetStop, createBudgetReservations } from './budget-reservations.ts'
import type { Account } from './budget-scope.ts'
import { chooseModel, currentModel, type ModelChoice, thinkingAfterFailures } from './choose-model.ts'
import { costDrift, reportedAtList } from './cost-drift.ts'
import { type CostEstimate, estimateCost } from './estimate-cost.ts'
import { ensureFileBudget } from './file-budget.ts'
import { judgeRequest, refuse } from './judge-request.ts'
import { priced, priceUsage } from './price-usage.ts'

export interface SessionSpendingOptions {
  readonly store: EventStore
  readonly clock: Clock
  readonly logger: Logger
  readonly catalogOf: (agentName: string) => Promise<readonly CatalogModel[]>
  /** Rejects if the agent cannot be loaded: its turn reports that. */
  readonly agentOf: (agentName: string) => Promise<AgentDefinition>
}

/** The spending state of one session. */
export interface SpendingSession {
  readonly sessionId: SessionId
  state(): SessionState
  record(drafts: readonly EventDraft[]): Promise<readonly SessionEvent[]>
}

/** The start of a turn. */
export interface TurnTerms {
  /** Set if the session uses automatic model selection. */
  readonly choice?: ModelChoice
  /** The thinking of this turn, if it exceeds the session's setting. */
  readonly thinking?: Thinking
  /** The budget that has nothing left for this turn. */
  readonly stop?: LimitStop
}

export type SessionSpending = ReturnType<typeof createSessionSpending>

/** Initial values: an answer is mostly one tool call, a turn a few of them. */
const firstOutputTokens = 500
const firstTurnTokens = { inputTokens: 20_000, cachedInputTokens: 0, maxOutputTokens: 2000 }

interface OpenTurn {
  readonly spentUsd: number
  readonly wasUnpriced: boolean
  hasEstimate: boolean
}

export function createSessionSpending(options: SessionSpendingOptions) {
  const { store, clock, logger, catalogOf } = options
  const reservations = createBudgetReservations({ store, clock })
  const expectedOutput = createRunningAverage(firstOutputTokens)
  /**
   * The limit that stopped a session: it refuses all requests of that turn until limits change. Stays set afterwards,
   * because it is still the reason why the turn ends.
   */
  const stops = new Map<SessionId, BudgetStop>()
  const turns = new Map<SessionId, OpenTurn>()

  /** Whether this request may be sent. May wait for other requests of the same budget. Rejects if that is unknown. */
  async function authorize(
    session: SpendingSession,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<ModelVerdict> {
    const catalog = await catalogOf(session.state().agentName)
    const refusal = judgeRequest(request, session.state(), catalog) ?? (await unpriced(session, request.model, catalog))
    if (refusal !== null) return refusal
    const estimate = estimateCost(request, expectedOutput.of(request.model), catalog)
    const stop = await reserve(session, { id: nameOf(request), ...estimate }, signal)
    return stop === null ? { type: 'go' } : refuse(stop.message)
  }

  async function reserve(
    session: SpendingSession,
    reservation: CostEstimate & { readonly id: string },
    signal: AbortSignal,
  ): Promise<BudgetStop | null> {
    const account = () => accountOf(session)
    const stop = currentStop(session) ?? (await reservations.reserve({ ...reservation, account }, signal))
    if (stop !== null) stops.set(session.sessionId, stop)
    return stop
  }

  function currentStop(session: SpendingSession): BudgetStop | null {
    const stop = stops.get(session.sessionId)
    if (stop === undefined) return null
    const isOwn = stop.budget === undefined
    const stands = isOwn ? session.state().limits.maxBudgetUsd <= stop.limit : reservations.isCurrent(stop)
    return stands ? stop : null
  }

  /** Under the default limit alone a model without a price runs; an explicit limit could not be enforced for it. */
  async function unpriced(
    session: SpendingSession,
    model: string,
    catalog: readonly CatalogModel[],
  ): Promise<ModelVerdict | null> {
    if (findModel(model, catalog)?.price != null) return null
    const account = accountOf(session)
    const isOwn = account.limitUsd !== defaultBudgetUsd
    const [other] = isOwn ? [] : await reservations.dollarBudgets(account)
    if (!isOwn && other === undefined) return null
    const whose = isOwn ? "the session's dollar limit" : 'a dollar budget'
    return refuse(
      `the price of "${model}" is unknown, so ${whose} cannot be enforced: set models."${model}".price in config.yaml`,
    )
  }

  /** Books one model request that went through the gateway; its reservation stays until `release`. */
  async function book(session: SpendingSession, use: ModelUse): Promise<void> {
    const catalog = await catalogOf(session.state().agentName)
    const usage = priceUsage(use, catalog)
    expectedOutput.learn(use.requestedModel, usage.tokens.output)
    await record(session, draft('UsageRecorded', usage))
  }

  async function record(session: SpendingSession, booking: EventDraft<'UsageRecorded'>): Promise<void> {
    const turn = turns.get(session.sessionId)
    if (turn !== undefined && booking.data.tokens.isOutputEstimated) turn.hasEstimate = true
    const events = await session.record([booking])
    if (events.length === 0) return
    const cost = { usd: booking.data.costUsd, units: booking.data.units ?? 0 }
    try {
      const warnings = await reservations.warnings(accountOf(session), cost)
      if (warnings.length > 0) await session.record(warnings)
    } catch (error) {
      logger.error({ sessionId: session.sessionId, error }, 'a budget warning could not be given')
    }
  }

  /**
   * Books usage that a backend reports itself, without a gateway. Resolves with the limit that is used up: the turn
   * must stop then, because its next request cannot be refused.
   */
  async function bookReported(
    session: SpendingSession,
    reported: EventDraft<'UsageRecorded'>,
  ): Promise<BudgetStop | null> {
    const catalog = await catalogOf(session.state().agentName)
    await record(session, { ...reported, data: priced(reported.data, catalog) })
    const stop = await reservations.stopOf(accountOf(session))
    if (stop !== null) stops.set(session.sessionId, stop)
    return stop
  }

  /** Before a turn: checks that money is left, and chooses the model. Rejects if this cannot be determined. */
  async function beforeTurn(session: SpendingSession): Promise<TurnTerms> {
    const state = session.state()
    stops.delete(session.sessionId)
    await followFile(state.agentName)
    const stop = await reservations.stopOf(accountOf(session))
    if (stop?.budget !== undefined) {
      stops.set(session.sessionId, stop)
      return { stop: toLimitStop(stop) }
    }
    const choice = await choose(session)
    if (choice === null) return {}
    const thinksMore = choice.rule === 'failed-attempts' && state.thinking === null
    return { choice, ...(thinksMore ? { thinking: thinkingAfterFailures } : {}) }
  }

  /** Applies the limits of the agent's current file. True if one has changed; an unreadable file changes nothing. */
  async function followFile(agentName: string): Promise<boolean> {
    const agent = await options.agentOf(agentName).catch(() => null)
    const hasChanged = agent !== null && (await ensureFileBudget({ store, clock }, agent))
    if (hasChanged) reservations.judgeAgain()
    return hasChanged
  }

  /**
   * Starts the comparison of booked and reported costs. Not earlier: a process that switches to another model tries it
   * with a small request, which is booked but not reported.
   */
  function beginComparing(session: SpendingSession): void {
    const { costUsd: spentUsd, hasUnpricedUsage: wasUnpriced } = session.state()
    turns.set(session.sessionId, { spentUsd, wasUnpriced, hasEstimate: false })
  }

  async function choose(session: SpendingSession): Promise<ModelChoice | null> {
    const state = session.state()
    // A person's choice is stored as the session's model, and the log records who made it.
    if (state.model !== autoModel) return null
    const agent = await options.agentOf(state.agentName).catch(() => null)
    const facts = {
      message: state.queued[0]?.content ?? '',
      thinking: state.thinking,
      effort: agent?.claude.effort ?? null,
      failedAttempts: state.failedTurns,
    }
    return chooseModel(facts, await catalogOf(state.agentName))
  }

  /** Before a turn without a gateway. */
  async function reserveTurn(
    session: SpendingSession,
    turnId: TurnId,
    signal: AbortSignal,
  ): Promise<BudgetStop | null> {
    const catalog = await catalogOf(session.state().agentName)
    const request = { ...firstTurnTokens, model: currentModel(session.state(), catalog) }
    const { expected } = estimateCost(request, firstTurnTokens.maxOutputTokens, catalog)
    return reserve(session, { id: turnId, expected, maximum: expected }, signal)
  }

  /** After a turn: whether money ended it, which limit stopped it, and any cost drift. */
  async function afterTurn(session: SpendingSession, turnId: TurnId, reportedEnd: EventDraft<'TurnEnded'>) {
    reservations.release(turnId)
    const stop = stops.get(session.sessionId) ?? null
    const turn = turns.get(session.sessionId)
    turns.delete(session.sessionId)
    const drift = turn === undefined ? null : driftOf(session, turn, reportedEnd)
    if (drift !== null) await session.record([{ ...drift, turnId }]).catch(logUnwritten)
    const ended = asBudgetEnd(session, reportedEnd, stop)
    const heldTo = stop === null || stop.budget !== undefined ? {} : { maxBudgetUsd: stop.limit }
    return { ended, heldTo, ...(stop === null ? {} : { stop: toLimitStop(stop) }) }
  }

  /**
   * After the log records that a budget stopped the session: whether a limit has changed since that judgement, so that
   * nothing stops it now. The change happened before this session was idle and did not wake it.
   */
  async function isLifted(session: SpendingSession): Promise<boolean> {
    const stop = stops.get(session.sessionId)
    if (stop === undefined) return false
    const isOver = stop.budget !== undefined && !reservations.isCurrent(stop)
    const now = isOver ? await reservations.stopOf(accountOf(session)) : stop
    stops.delete(session.sessionId)
    return now === null
  }

  const logUnwritten = (error: unknown) => logger.error({ error }, 'a cost drift could not be recorded')

  return {
    authorize,
    book,
    bookReported,
    beforeTurn,
    beginComparing,
    reserveTurn,
    afterTurn,
    isLifted,
    followFile,
    /** The request is over: booked or failed. */
    release: (request: RequestName) => reservations.release(nameOf(request)),
    /** Limits have changed: clears refusals based on them and judges waiting requests again. */
    limitsChanged: () => reservations.judgeAgain(),
    /** The used-up limit of this session, including its own. */
    stopOf: (session: SpendingSession) => reservations.stopOf(accountOf(session)),
  }
}

const toLimitStop = ({ budget, label, unit, spent, limit, message }: BudgetStop): LimitStop => ({
  ...(budget === undefined ? {} : { budget: label, budgetId: budget.id, sum: { unit, spent, limit } }),
  message,
})

const nameOf = ({ sessionId, requestId }: RequestName): string => `${sessionId} ${requestId}`

function accountOf(session: SpendingSession): Account {
  const state = session.state()
  const { sessionId, agentName, owner, limits, costUsd } = state
  return { sessionId, agentName, owner, startedBy: starterOf(state), limitUsd: limits.maxBudgetUsd, spentUsd: costUsd }
}

/** Only a turn that ended by itself has reported all usage, and only priced usage can be compared. */
function driftOf(
  session: SpendingSession,
  turn: OpenTurn,
  reportedEnd: EventDraft<'TurnEnded'>,
): EventDraft<'CostDrifted'> | null {
  const { costUsd, hasUnpricedUsage } = session.state()
  const isWhole = reportedEnd.data.outcome === 'completed' || reportedEnd.data.outcome === 'turn_limit'
  if (!isWhole || turn.hasEstimate || hasUnpricedUsage !== turn.wasUnpriced) return null
  return costDrift({ reportedUsd: reportedAtList(reportedEnd.data), bookedUsd: costUsd - turn.spentUsd })
}

/** A request refused for money fails like any other, and its turn looks interrupted: the real reason is known here. */
function asBudgetEnd(
  session: SpendingSession,
  ended: EventDraft<'TurnEnded'>,
  stop: BudgetStop | null,
): EventDraft<'TurnEnded'> {
  const { costUsd, limits, status } = session.state()
  const { outcome } = ended.data
  const isRequestedStop = status === 'interrupting' || status === 'cancelling' || status === 'pausing'
  const isCut = outcome === 'failed' || (outcome === 'interrupted' && stop !== null && !isRequestedStop)
  if (!isCut || (stop === null && costUsd < limits.maxBudgetUsd)) return ended
  const result = { ...ended.data.result, isError: true, errorReason: errorReasons.budget }
  return { ...ended, data: { ...ended.data, outcome: 'budget_limit', result } }
}

/** The weight of a new value in a running average; earlier values share the rest. */
const weight = 0.1

/** An exponential moving average for each name, starting at the first guess. */
function createRunningAverage(firstGuess: number) {
  const averages = new Map<string, number>()
  const of = (name: string) => averages.get(name) ?? firstGuess
  return {
    of,
    learn: (name: string, value: number) => void averages.set(name, of(name) * (1 - weight) + value * weight),
  }
}
