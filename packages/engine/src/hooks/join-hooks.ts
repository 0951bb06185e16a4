import type { HookSource } from './create-hook-points.ts'
import { inputAfter, mergeOutputs } from './merge-outputs.ts'

/** Runs two sources in order: the second sees the call as the first changed it, and the stricter decision wins. */
export const joinHooks = (first: HookSource, second: HookSource): HookSource => ({
  hasListener: (event) => first.hasListener(event) || second.hasListener(event),
  async run(event, input, context) {
    const handlerOutput = await first.run(event, input, context)
    return mergeOutputs(handlerOutput, await second.run(event, inputAfter(input, handlerOutput), context))
  },
})
