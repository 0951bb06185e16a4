// Where a session's requests and turns meet the treasury: asked before, told after, and the session's log hears of it.
import {
  type AgentDefinition,
  autoModel,
  type CatalogModel,
  defaultBudgetUsd,
  draft,
  type EventDraft,
  errorReasons,
  findModel,
  type SessionEvent,
  type SessionId,
  type SessionState,
  starterOf,
  type Thinking,
  type TurnId,
  type TurnStop,
} from '@quarterdeck/protocol'
import type { ModelRequest, ModelUse, ModelVerdict, RequestName } from '../model-gateway.ts'
import type { Clock, EventStore } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Account } from './budget-scope.ts'
import { chooseModel, currentModel, type ModelChoice, thinkingAfterFailures } from './choose-model.ts'
import { costDrift, reportedAtList } from './cost-drift.ts'
import { type Estimate, estimateCost } from './estimate-cost.ts'
import { ensureFileBudget } from './file-budget.ts'
import { judgeRequest, refuse } from './judge-request.ts'
import { priced, priceUsage } from './price-usage.ts'
import { createRunningAverage } from './running-average.ts'
import { type BudgetStop, createTreasury } from './treasury.ts'

export interface MoneyDeskOptions {
  readonly store: EventStore
  readonly clock: Clock
  readonly logger: Logger
  readonly catalogOf: (agentName: string) => Promise<readonly CatalogModel[]>
  /** Rejects where the agent cannot be loaded: its turn will say so. */
  readonly agentOf: (agentName: string) => Promise<AgentDefinition>
}

/** A session as far as money is concerned. */
export interface Purse {
  readonly sessionId: SessionId
  state(): SessionState
  record(drafts: readonly EventDraft[]): Promise<readonly SessionEvent[]>
}

/** What a turn begins with. */
export interface TurnTerms {
  /** Where the session leaves its model to the rules. */
  readonly choice?: ModelChoice
  /** How much it thinks, where that is more than the session says. */
  readonly thinking?: Thinking
  /** The budget that has nothing left for this turn. */
  readonly stop?: TurnStop
}

export type MoneyDesk = ReturnType<typeof createMoneyDesk>

/** Before anything was seen: an answer is mostly one tool call, a turn some of them. */
const firstOutputTokens = 500
const firstTurnTokens = { inputTokens: 20_000, cachedInputTokens: 0, maxOutputTokens: 2000 }

interface OpenTurn {
  readonly spentUsd: number
  readonly wasUnpriced: boolean
  hasEstimate: boolean
}

export function createMoneyDesk(options: MoneyDeskOptions) {
  const { store, clock, logger, catalogOf } = options
  const treasury = createTreasury({ store, clock })
  const usualOutput = createRunningAverage(firstOutputTokens)
  /**
   * What stopped a session: until limits change it says no to all of that turn's requests. Kept also when they have
   * changed: it is still why the turn ends.
   */
  const stops = new Map<SessionId, BudgetStop>()
  const turns = new Map<SessionId, OpenTurn>()

  /** May this request be sent? May wait for others of the same money. Rejects when nobody can tell. */
  async function authorize(purse: Purse, request: ModelRequest, signal: AbortSignal): Promise<ModelVerdict> {
    const catalog = await catalogOf(purse.state().agentName)
    const refusal = judgeRequest(request, purse.state(), catalog) ?? (await unpriced(purse, request.model, catalog))
    if (refusal !== null) return refusal
    const estimate = estimateCost(request, usualOutput.of(request.model), catalog)
    const stop = await reserve(purse, { id: nameOf(request), ...estimate }, signal)
    return stop === null ? { type: 'go' } : refuse(stop.message)
  }

  async function reserve(
    purse: Purse,
    reservation: Estimate & { readonly id: string },
    signal: AbortSignal,
  ): Promise<BudgetStop | null> {
    const account = () => accountOf(purse)
    const stop = standingStop(purse) ?? (await treasury.reserve({ ...reservation, account }, signal))
    if (stop !== null) stops.set(purse.sessionId, stop)
    return stop
  }

  function standingStop(purse: Purse): BudgetStop | null {
    const stop = stops.get(purse.sessionId)
    if (stop === undefined) return null
    const isOwn = stop.budget === undefined
    const stands = isOwn ? purse.state().limits.maxBudgetUsd <= stop.limit : treasury.isCurrent(stop)
    return stands ? stop : null
  }

  /** Under the default limit alone a model without a price runs; a limit that somebody set could not hold it. */
  async function unpriced(purse: Purse, model: string, catalog: readonly CatalogModel[]): Promise<ModelVerdict | null> {
    if (findModel(model, catalog)?.price != null) return null
    const account = accountOf(purse)
    const isOwn = account.limitUsd !== defaultBudgetUsd
    const [other] = isOwn ? [] : await treasury.dollarBudgets(account)
    if (!isOwn && other === undefined) return null
    const whose = isOwn ? "the session's dollar limit" : 'a dollar budget'
    return refuse(
      `the price of "${model}" is unknown, so ${whose} cannot hold: give models."${model}".price in config.yaml`,
    )
  }

  /** Books one model request that went through the gateway; what was reserved for it is held until `release`. */
  async function book(purse: Purse, use: ModelUse): Promise<void> {
    const catalog = await catalogOf(purse.state().agentName)
    const usage = priceUsage(use, catalog)
    usualOutput.learn(use.requestedModel, usage.tokens.output)
    await record(purse, draft('UsageRecorded', usage))
  }

  async function record(purse: Purse, booking: EventDraft<'UsageRecorded'>): Promise<void> {
    const turn = turns.get(purse.sessionId)
    if (turn !== undefined && booking.data.tokens.isOutputEstimated) turn.hasEstimate = true
    const events = await purse.record([booking])
    if (events.length === 0) return
    const cost = { usd: booking.data.costUsd, units: booking.data.units ?? 0 }
    try {
      const warnings = await treasury.warnings(accountOf(purse), cost)
      if (warnings.length > 0) await purse.record(warnings)
    } catch (error) {
      logger.error({ sessionId: purse.sessionId, error }, 'a budget warning could not be given')
    }
  }

  /**
   * Books what a backend reports itself, where no gateway stands between. Resolves with the limit that has nothing left:
   * the turn then has to stop, because nobody can refuse its next request.
   */
  async function bookReported(purse: Purse, reported: EventDraft<'UsageRecorded'>): Promise<BudgetStop | null> {
    const catalog = await catalogOf(purse.state().agentName)
    await record(purse, { ...reported, data: priced(reported.data, catalog) })
    const stop = await treasury.stopOf(accountOf(purse))
    if (stop !== null) stops.set(purse.sessionId, stop)
    return stop
  }

  /** Before a turn: is there anything left to spend, and on which model does it run? Rejects when nobody can tell. */
  async function beforeTurn(purse: Purse): Promise<TurnTerms> {
    const state = purse.state()
    stops.delete(purse.sessionId)
    await followFile(state.agentName)
    const stop = await treasury.stopOf(accountOf(purse))
    if (stop?.budget !== undefined) {
      stops.set(purse.sessionId, stop)
      return { stop: inWords(stop) }
    }
    const choice = await choose(purse)
    if (choice === null) return {}
    const thinksMore = choice.rule === 'failed-attempts' && state.thinking === null
    return { choice, ...(thinksMore ? { thinking: thinkingAfterFailures } : {}) }
  }

  /** Limits are as the agent's file says by now. True when one has changed; a file that cannot be read changes nothing. */
  async function followFile(agentName: string): Promise<boolean> {
    const agent = await options.agentOf(agentName).catch(() => null)
    const hasChanged = agent !== null && (await ensureFileBudget({ store, clock }, agent))
    if (hasChanged) treasury.judgeAgain()
    return hasChanged
  }

  /**
   * From here on what is booked is compared with what the backend reports. Not before: a process that is told of another
   * model tries it with a small request, which is booked like any other and which it does not report.
   */
  function beginComparing(purse: Purse): void {
    const { costUsd: spentUsd, hasUnpricedUsage: wasUnpriced } = purse.state()
    turns.set(purse.sessionId, { spentUsd, wasUnpriced, hasEstimate: false })
  }

  async function choose(purse: Purse): Promise<ModelChoice | null> {
    const state = purse.state()
    // A person's choice is the session's model itself, and the log says who made it.
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

  /** Before a turn that no gateway meters. */
  async function reserveTurn(purse: Purse, turnId: TurnId, signal: AbortSignal): Promise<BudgetStop | null> {
    const catalog = await catalogOf(purse.state().agentName)
    const request = { ...firstTurnTokens, model: currentModel(purse.state(), catalog) }
    const { usual } = estimateCost(request, firstTurnTokens.maxOutputTokens, catalog)
    return reserve(purse, { id: turnId, usual, most: usual }, signal)
  }

  /** After a turn: how it ended for money's sake, what stopped it, and what does not add up. */
  async function afterTurn(purse: Purse, turnId: TurnId, told: EventDraft<'TurnEnded'>) {
    treasury.release(turnId)
    const stop = stops.get(purse.sessionId) ?? null
    const turn = turns.get(purse.sessionId)
    turns.delete(purse.sessionId)
    const drift = turn === undefined ? null : driftOf(purse, turn, told)
    if (drift !== null) await purse.record([{ ...drift, turnId }]).catch(tellUnwritten)
    const ended = asBudgetEnd(purse, told, stop)
    const heldTo = stop === null || stop.budget !== undefined ? {} : { maxBudgetUsd: stop.limit }
    return { ended, heldTo, ...(stop === null ? {} : { stop: inWords(stop) }) }
  }

  /**
   * Once the log says that a budget stopped the session: has a limit changed since that was judged, so that nothing stops
   * it now? Whoever changed it has not seen this session rest.
   */
  async function isLifted(purse: Purse): Promise<boolean> {
    const stop = stops.get(purse.sessionId)
    if (stop === undefined) return false
    const isOver = stop.budget !== undefined && !treasury.isCurrent(stop)
    const now = isOver ? await treasury.stopOf(accountOf(purse)) : stop
    stops.delete(purse.sessionId)
    return now === null
  }

  const tellUnwritten = (error: unknown) => logger.error({ error }, 'a drift of costs could not be written')

  return {
    ...{ authorize, book, bookReported, beforeTurn, beginComparing, reserveTurn, afterTurn, isLifted, followFile },
    /** The request is over: booked, or come to nothing. */
    release: (request: RequestName) => treasury.release(nameOf(request)),
    /** Limits have changed: what stood because of them stands no longer, and whoever waits is judged again. */
    limitsChanged: () => treasury.judgeAgain(),
    /** The limit with nothing left for this session, its own included. */
    stopOf: (purse: Purse) => treasury.stopOf(accountOf(purse)),
  }
}

const inWords = ({ budget, words, unit, spent, limit, message }: BudgetStop): TurnStop => ({
  ...(budget === undefined ? {} : { budget: words, budgetId: budget.id, sum: { unit, spent, limit } }),
  message,
})

const nameOf = ({ sessionId, requestId }: RequestName): string => `${sessionId} ${requestId}`

function accountOf(purse: Purse): Account {
  const state = purse.state()
  const { sessionId, agentName, owner, limits, costUsd } = state
  return { sessionId, agentName, owner, startedBy: starterOf(state), limitUsd: limits.maxBudgetUsd, spentUsd: costUsd }
}

/** Only a turn that ended by itself has told all it used, and only what has a price can be compared. */
function driftOf(purse: Purse, turn: OpenTurn, told: EventDraft<'TurnEnded'>): EventDraft<'CostDrifted'> | null {
  const { costUsd, hasUnpricedUsage } = purse.state()
  const isWhole = told.data.outcome === 'completed' || told.data.outcome === 'turn_limit'
  if (!isWhole || turn.hasEstimate || hasUnpricedUsage !== turn.wasUnpriced) return null
  return costDrift({ reportedUsd: reportedAtList(told.data), bookedUsd: costUsd - turn.spentUsd })
}

/** A request refused for money fails like any other, and a turn stopped for it looks interrupted: here is known why. */
function asBudgetEnd(purse: Purse, ended: EventDraft<'TurnEnded'>, stop: BudgetStop | null): EventDraft<'TurnEnded'> {
  const { costUsd, limits, status } = purse.state()
  const { outcome } = ended.data
  const isSomebodysWish = status === 'interrupting' || status === 'cancelling' || status === 'pausing'
  const isCut = outcome === 'failed' || (outcome === 'interrupted' && stop !== null && !isSomebodysWish)
  if (!isCut || (stop === null && costUsd < limits.maxBudgetUsd)) return ended
  const result = { ...ended.data.result, isError: true, errorReason: errorReasons.budget }
  return { ...ended, data: { ...ended.data, outcome: 'budget_limit', result } }
}
