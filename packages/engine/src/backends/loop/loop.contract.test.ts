import { describeBackend } from '../backend.contract.ts'
import { scenarioStep } from '../contract/scenario-step.fixture.ts'
import { openLoopHarness, wires } from './testing/loop-harness.fixture.ts'

for (const wire of wires) {
  describeBackend(`loop, on the ${wire} wire`, async (replies, cwd, agent) => {
    const harness = await openLoopHarness({ wire, steps: replies.map((reply) => scenarioStep(reply, cwd)), agent })
    const { model, modelSource, modelAccess, hostTools } = harness.options()
    return {
      backend: harness.backend,
      options: { model, modelSource, modelAccess, hostTools, cwd },
      supportsRewind: false,
      asked: () => JSON.stringify(harness.requests().at(-1)),
      crash: async () => harness.crash(),
      close: harness.close,
    }
  })
}
