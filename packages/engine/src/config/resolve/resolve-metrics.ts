import type { AgentContext } from '../agent-context.ts'
import type { Metric, TextMetric } from '../agent-tests.ts'
import { formatPath, type Path } from '../problems/value-path.ts'
import type { MetricBlock } from '../schema/evaluations-block.ts'

/** The two metrics that compare text run, the others are only known by name. */
export function resolveMetrics(
  context: AgentContext,
  blocks: readonly MetricBlock[] | null | undefined,
  path: Path,
): readonly Metric[] | null {
  return blocks?.map((block, index) => resolveMetric(context, block, [...path, index])) ?? null
}

type Standard = Extract<MetricBlock, { type: 'standard' }>

function resolveMetric(context: AgentContext, block: MetricBlock, path: Path): Metric {
  const isEnabled = block.enabled ?? true
  switch (block.type) {
    case 'standard':
      checkStandard(context, block, path)
      if (block.metric !== 'equality' && block.metric !== 'contains') {
        return { type: 'other', name: block.metric, isEnabled }
      }
      return textMetric(block.metric, block)
    case 'geval':
      return { type: 'other', name: `geval ${block.name}`, isEnabled }
    case 'rag':
      return { type: 'other', name: `rag ${block.metric_type}`, isEnabled }
    case 'code':
      return { type: 'other', name: `code ${block.grader}`, isEnabled }
  }
}

const textMetric = (type: TextMetric['type'], block: Standard): TextMetric => ({
  type,
  name: type,
  isEnabled: block.enabled ?? true,
  threshold: block.threshold ?? null,
  isCaseInsensitive: block.case_insensitive ?? false,
  stripsWhitespace: block.strip_whitespace ?? false,
  stripsPunctuation: block.strip_punctuation ?? false,
  responsePath: block.response_path ?? null,
  failsOnError: block.fail_on_error ?? false,
})

const ofText = ['case_insensitive', 'strip_whitespace', 'strip_punctuation'] as const
const ofNumbers = ['absolute_tolerance', 'relative_tolerance', 'accept_percent', 'accept_thousands_separators'] as const
const ofJudges = ['model', 'scale', 'custom_prompt', 'retry_on_failure', 'timeout_ms'] as const
const judged: readonly string[] = ['groundedness', 'relevance', 'coherence', 'fluency']

function checkStandard({ source }: AgentContext, block: Standard, path: Path): void {
  const { metric, response_path: responsePath } = block
  const idle = [
    ...(metric === 'equality' || metric === 'contains' ? [] : ofText),
    ...(metric === 'numeric' ? [] : ofNumbers),
    ...(judged.includes(metric) ? [] : ofJudges),
  ]
  for (const key of idle.filter((name) => block[name] != null)) {
    source.warnNoEffectIn([...path, key], `on ${metric}`)
  }
  if (responsePath == null || responsePattern.test(responsePath)) return
  const at = [...path, 'response_path']
  source.refuseValue(at, `"${formatPath(at)}" must be a path such as a.b[0].c; found "${responsePath}"`)
}

const responsePattern = /^(?:[A-Za-z_][\w-]*|\[\d+\])(?:\.[A-Za-z_][\w-]*|\[\d+\])*$/
