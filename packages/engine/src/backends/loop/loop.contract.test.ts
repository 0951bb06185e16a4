import { describeBackend } from '../backend.contract.ts'
import { scenarioStep } from '../scenario-step.fixture.ts'
import { openLoopWorld, wires } from './testing/loop-world.fixture.ts'

for (const wire of wires) {
  describeBackend(`loop, on the ${wire} wire`, async (replies, cwd, agent) => {
    const world = await openLoopWorld({ wire, steps: replies.map((reply) => scenarioStep(reply, cwd)), agent })
    const { model, modelSource, modelAccess, hostTools } = world.options()
    return {
      backend: world.backend,
      options: { model, modelSource, modelAccess, hostTools, cwd },
      keepsFiles: false,
      asked: () => JSON.stringify(world.requests().at(-1)),
      crash: async () => world.crash(),
      close: world.close,
    }
  })
}
