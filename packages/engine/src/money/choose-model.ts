// `auto`: which model a turn runs on. Rules in their order, the first that fits decides.
import {
  autoModel,
  type CatalogModel,
  findModel,
  ModelTier,
  type SessionState,
  type Thinking,
} from '@quarterdeck/protocol'

export interface ChoiceFacts {
  readonly message: string
  readonly thinking: Thinking
  readonly effort: 'low' | 'medium' | 'high' | 'max' | null
  /** Turns in a row that failed. */
  readonly failedAttempts: number
}

export interface ModelChoice {
  readonly model: string
  readonly rule: 'failed-attempts' | 'thinking' | 'effort' | 'short-question' | 'default'
  /** For people, in one line. */
  readonly reason: string
}

export function chooseModel(facts: ChoiceFacts, catalog: readonly CatalogModel[]): ModelChoice {
  const { message, thinking, effort, failedAttempts } = facts
  const tier = (name: ModelTier) => tierModel(name, catalog)
  if (failedAttempts >= 2) {
    return { model: tier('high'), rule: 'failed-attempts', reason: `${failedAttempts} attempts have failed` }
  }
  if (thinking !== null) return { model: tier('high'), rule: 'thinking', reason: 'thinking is on' }
  if (effort === 'high' || effort === 'max')
    return { model: tier('high'), rule: 'effort', reason: `effort is ${effort}` }
  if (isShortQuestion(message)) {
    return { model: tier('low'), rule: 'short-question', reason: 'a short question without files or code' }
  }
  return { model: tier('high'), rule: 'default', reason: 'work that is not a short question' }
}

/** Where somebody has to think after all and nothing says how much. */
export const thinkingAfterFailures = { budgetTokens: 10_000 } as const

const longestQuestion = 200

/** Fences, operators, calls and tags; names with an ending or a slash. */
const codeOrFile = /```|`|[{};<>]|=>|\w\(|(?:^|\s)[~.]{0,2}\/|\w\/\w|\w\.[A-Za-z]{1,5}\b/
const asks =
  /\?\s*$|^(?:hi|hello|hey|thanks|thank you|who|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|should|will|would)\b/i
const wantsWork =
  /\b(?:fix|write|implement|refactor|edit|create|build|debug|test|run|change|add|delete|remove|review|analy[sz]e|plan|design|migrate|deploy|file|files|code|function|class|bug|error)\b/i

function isShortQuestion(message: string): boolean {
  const text = message.trim()
  if (text.length > longestQuestion || text.includes('\n')) return false
  return asks.test(text) && !codeOrFile.test(text) && !wantsWork.test(text)
}

/** The model a session runs on now, by its full id: between two turns of `auto` that of the last one. */
export function currentModel(
  { model, lastModel }: Pick<SessionState, 'model' | 'lastModel'>,
  catalog: readonly CatalogModel[],
): string {
  return model === autoModel ? (lastModel ?? tierModel('high', catalog)) : model
}

/** What subagents without a model of their own run on; `null` for the lead's. */
export const subagentModelOf = (
  { model }: Pick<SessionState, 'model'>,
  catalog: readonly CatalogModel[],
): string | null => (model === autoModel ? tierModel('low', catalog) : null)

/** Every catalog has all tiers: overrides change entries, they take none away. A tier that moved leaves its name. */
const tierModel = (tier: ModelTier, catalog: readonly CatalogModel[]): string =>
  (findModel(tier, catalog) ?? findModel(ModelTier.enum.high))?.id ?? tier
