import { formatLimit, formatUsd, isQuarterdeckError, modelCatalog, modelLabel } from '@quarterdeck/protocol'
import { formatCount } from '../../render/count.ts'
import type { TerminalConversation } from './terminal-conversation.ts'

const help = [
  '/help            this list',
  '/model           the model now and those to choose from',
  '/model NAME      change it (an id, a tier: pro, high, low, or auto); the conversation is kept',
  '/cost            what this session has used and cost',
  '/quit            leave; the session is kept',
].join('\n')

export async function runSlashCommand(conversation: TerminalConversation, line: string): Promise<'stay' | 'leave'> {
  const [name, argument] = line.slice(1).split(/\s+/, 2)
  switch (name) {
    case 'help':
      conversation.tell(help)
      return 'stay'
    case 'model':
      await (argument === undefined ? showModels(conversation) : changeModel(conversation, argument))
      return 'stay'
    case 'cost':
      showCost(conversation)
      return 'stay'
    case 'quit':
    case 'exit':
      return 'leave'
    default:
      conversation.tell(`/${name ?? ''} is not a command; /help lists them`)
      return 'stay'
  }
}

async function showModels(conversation: TerminalConversation): Promise<void> {
  conversation.tell(`now: ${modelLabel(conversation.session())}`)
  for (const { id, tier, price, use } of modelCatalog) {
    const cost = price === null ? 'price unknown' : `$${price.input} in, $${price.output} out per million tokens`
    conversation.tell(`  ${id.padEnd(28)} ${tier.padEnd(5)} ${cost}; ${use}`)
  }
  conversation.tell(`  ${'auto'.padEnd(34)} chooses for each turn`)
}

async function changeModel(conversation: TerminalConversation, model: string): Promise<void> {
  try {
    const { warnings = [] } = await conversation.changeModel(model)
    conversation.tell(`model: ${modelLabel(conversation.session())}`)
    for (const warning of warnings) conversation.tell(`warning: ${warning}`)
  } catch (error) {
    if (!isQuarterdeckError(error)) throw error
    conversation.tell(error.message)
  }
}

function showCost(conversation: TerminalConversation): void {
  const { tokens, costUsd, hasUnpricedUsage, limits } = conversation.session()
  const money = hasUnpricedUsage ? `${formatUsd(costUsd)} and some of unknown price` : formatUsd(costUsd)
  const parts = [
    `${formatCount(tokens.input)} in`,
    `${formatCount(tokens.cacheRead)} from cache`,
    `${formatCount(tokens.cacheWrite)} to cache`,
    `${formatCount(tokens.output)} out`,
  ]
  conversation.tell(`${parts.join(', ')} · ${money} of ${formatLimit(limits.maxBudgetUsd)}`)
}
