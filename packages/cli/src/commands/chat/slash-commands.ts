import {
  formatCount,
  formatLimit,
  formatUsd,
  isQuarterdeckError,
  modelCatalog,
  modelLabel,
} from '@quarterdeck/protocol'
import type { TerminalConversation } from './terminal-conversation.ts'

const help = [
  '/help            this list',
  '/model           show the current model and the available ones',
  '/model NAME      change it (an id, a tier: pro, high, low, or auto) and keep the conversation',
  '/cost            show usage and cost of this session',
  '/quit            leave; the session is kept',
].join('\n')

export async function runSlashCommand(conversation: TerminalConversation, line: string): Promise<'stay' | 'leave'> {
  const [name, argument] = line.slice(1).split(/\s+/, 2)
  switch (name) {
    case 'help':
      conversation.print(help)
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
      conversation.print(`/${name ?? ''} is not a command; /help lists them`)
      return 'stay'
  }
}

async function showModels(conversation: TerminalConversation): Promise<void> {
  conversation.print(`now: ${modelLabel(conversation.session())}`)
  for (const { id, tier, price, use } of modelCatalog) {
    const cost = price === null ? 'price unknown' : `$${price.input} in, $${price.output} out per million tokens`
    conversation.print(`  ${id.padEnd(28)} ${tier.padEnd(5)} ${cost}; ${use}`)
  }
  conversation.print(`  ${'auto'.padEnd(34)} chooses for each turn`)
}

async function changeModel(conversation: TerminalConversation, model: string): Promise<void> {
  try {
    const { warnings = [] } = await conversation.changeModel(model)
    conversation.print(`model: ${modelLabel(conversation.session())}`)
    for (const warning of warnings) conversation.print(`warning: ${warning}`)
  } catch (error) {
    if (!isQuarterdeckError(error)) throw error
    conversation.print(error.message)
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
  conversation.print(`${parts.join(', ')} · ${money} of ${formatLimit(limits.maxBudgetUsd)}`)
}
