import { wires } from '../backends/loop/testing/loop-harness.fixture.ts'
import { describeEditedCalls } from './edited-calls.contract.ts'
import { loopToolBackend } from './testing/loop-tool-backend.fixture.ts'
import { describeToolSessions } from './tool-sessions.contract.ts'

for (const wire of wires) {
  describeToolSessions(`the loop over the ${wire} wire`, loopToolBackend(wire))
  describeEditedCalls(`the loop over the ${wire} wire`, loopToolBackend(wire))
}
