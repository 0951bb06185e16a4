import { withParsedInput } from '@quarterdeck/protocol'
import { createOperationContext, type OperationContextOptions } from '../runtime/operation-context.ts'
import { inProcessOperations, type SessionOperations, type SessionService } from '../session-service.ts'
import { createAskOperations } from './asks.ts'
import { createAuditOperations } from './audit.ts'
import { createBudgetOperations } from './budgets.ts'
import { createClientOperations } from './clients.ts'
import { createCreateOperations } from './create.ts'
import { createInboxOperations } from './inbox.ts'
import { createLifecycleOperations } from './lifecycle.ts'
import { createMessageOperations } from './messages.ts'
import { createProcessOperations } from './processes.ts'
import { createReadOperations } from './read.ts'
import { createSettingOperations } from './settings.ts'

/** The service, and its operations for callers that have parsed the input. */
export function createSessionService(options: OperationContextOptions) {
  const context = createOperationContext(options)
  const { store, bus, coordinator } = context
  const { openTexts, queuePosition } = coordinator
  const operations: SessionOperations = {
    ...createCreateOperations(context),
    ...createMessageOperations(context),
    ...createSettingOperations(context),
    ...createLifecycleOperations(context),
    ...createAskOperations(context),
    ...createClientOperations(context),
    ...createBudgetOperations(context),
    ...createProcessOperations(context),
    ...createAuditOperations(store),
    ...createInboxOperations(store),
    ...createReadOperations({ store, bus, openTexts, queuePosition }),
  }
  return { operations, sessions: withParsedInput<SessionService>(inProcessOperations, operations) }
}
