import { describeEventStore } from '../ports/event-store.contract.ts'
import { createMemoryStore } from './create-memory-store.ts'

describeEventStore('memory', async (parts) => ({ store: createMemoryStore(parts) }))
