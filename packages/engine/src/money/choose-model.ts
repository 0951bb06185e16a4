// Chooses the model of a turn for `auto`. The first matching rule decides.
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
  /** Consecutive failed turns. */
  readonly failedAttempts: number
}

export interface ModelChoice {
  readonly model: string
  readonly rule: 'failed-attempts' | 'thinking' | 'effort' | 'short-question' | 'default'
  /** One line for users. */
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

/** Used when thinking is needed but no setting gives an amount. */
export const thinkingAfterFailures = { budgetTokens: 10_000 } as const

const longestQuestion = 200

/** Code fences, operators, calls and tags; file names with an extension or a slash. */
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

/** The full id of the current model; between turns of `auto`, that of the last turn. */
export function currentModel(
  { model, lastModel }: Pick<SessionState, 'model' | 'lastModel'>,
  catalog: readonly CatalogModel[],
): string {
  return model === autoModel ? (lastModel ?? tierModel('high', catalog)) : model
}

/** The model of subagents without their own; `null` for that of the lead. */
export const subagentModelOf = (
  { model }: Pick<SessionState, 'model'>,
  catalog: readonly CatalogModel[],
): string | null => (model === autoModel ? tierModel('low', catalog) : null)

/**
 * Every catalog has all tiers: overrides never remove entries. A model moved to another tier keeps its old tier name.
 */
const tierModel = (tier: ModelTier, catalog: readonly CatalogModel[]): string =>
  (findModel(tier, catalog) ?? findModel(ModelTier.enum.high))?.id ?? tier
