import type { HookSource } from './create-hook-points.ts'
import { inputAfter, mergeOutputs } from './merge-outputs.ts'

/** One after the other: the second judges what the first made of a call, and the stricter of them decides. */
export const joinHooks = (first: HookSource, second: HookSource): HookSource => ({
  isHeard: (event) => first.isHeard(event) || second.isHeard(event),
  async run(event, input, context) {
    const said = await first.run(event, input, context)
    return mergeOutputs(said, await second.run(event, inputAfter(input, said), context))
  },
})
