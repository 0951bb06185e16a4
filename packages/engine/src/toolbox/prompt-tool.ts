// A prompt with placeholders that the agent fills in, sent to a model.
import type { JsonObject, PromptTool } from '@quarterdeck/protocol'
import type { Complete, ToolboxOpening } from '../ports/host-toolbox.ts'
import { hostToolName } from '../tool-names/host-tool-names.ts'
import { createInputCheck } from './check-input.ts'
import { failed, type ToolSource } from './tool-source.ts'

export function openPromptTool(
  tool: PromptTool,
  { model, modelAccess }: Pick<ToolboxOpening, 'model' | 'modelAccess'>,
  complete: Complete,
): ToolSource {
  const { name, description, parameters, maxTokens, temperature } = tool
  const check = createInputCheck(parameters)
  return {
    list: () => [{ name: hostToolName(name), description, inputSchema: parameters }],
    async call({ toolInput }, signal) {
      const problem = check(toolInput)
      if (problem !== null) return failed(problem)
      const prompt = fillTemplate(tool.template, toolInput)
      const completion = { model: tool.model ?? model(), prompt, maxTokens, temperature }
      return { output: await complete(modelAccess, completion, signal), isError: false }
    },
    async close() {},
  }
}

/** In one pass: a placeholder inside a value is not replaced. */
export const fillTemplate = (template: string, values: JsonObject): string =>
  template.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
