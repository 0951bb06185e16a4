import type { HookSource } from './create-hook-points.ts'
import { inputAfter, mergeOutputs } from './merge-outputs.ts'

/** One after the other: the second judges what the first made of a call, and the stricter of them decides. */
export const joinHooks = (first: HookSource, second: HookSource): HookSource => ({
  hasListener: (event) => first.hasListener(event) || second.hasListener(event),
  async run(event, input, context) {
    const handlerOutput = await first.run(event, input, context)
    return mergeOutputs(handlerOutput, await second.run(event, inputAfter(input, handlerOutput), context))
  },
})
