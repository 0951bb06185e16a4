import { createOperationContext, type OperationContextOptions } from '../runtime/operation-context.ts'
import type { SessionService } from '../session-service.ts'
import { createAskOperations } from './asks.ts'
import { createAuditOperations } from './audit.ts'
import { createBudgetOperations } from './budgets.ts'
import { createClientOperations } from './clients.ts'
import { createCreateOperations } from './create.ts'
import { createLifecycleOperations } from './lifecycle.ts'
import { createMessageOperations } from './messages.ts'
import { createProcessOperations } from './processes.ts'
import { createReadOperations } from './read.ts'
import { createSettingOperations } from './settings.ts'

export function createSessionService(options: OperationContextOptions): SessionService {
  const context = createOperationContext(options)
  const { store, bus, coordinator } = context
  const { openTexts, queuePosition } = coordinator
  return {
    ...createCreateOperations(context),
    ...createMessageOperations(context),
    ...createSettingOperations(context),
    ...createLifecycleOperations(context),
    ...createAskOperations(context),
    ...createClientOperations(context),
    ...createBudgetOperations(context),
    ...createProcessOperations(context),
    ...createAuditOperations(store),
    ...createReadOperations({ store, bus, openTexts, queuePosition }),
  }
}
