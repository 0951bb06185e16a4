// `observability:` as users write it: what is told of a session's work to whoever collects traces.
import { z } from 'zod'

const text = z.string().trim().min(1, 'must not be blank')

const TracesBlock = z.strictObject({
  enabled: z.boolean().nullish().describe('False tells nothing; true unless said.'),
  sample_rate: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe('The share of turns that is told, from 0 to 1; 1 unless said.'),
  capture_content: z
    .boolean()
    .nullish()
    .describe('Whether messages, answers, inputs and results of tools are told too, without secrets. Off unless true.'),
  max_queue_size: z
    .int()
    .min(1)
    .max(100_000)
    .nullish()
    .describe('Spans that wait at most, the next are dropped; 2048.'),
  max_export_batch_size: z.int().min(1).max(10_000).nullish().describe('Spans in one request; 512.'),
  schedule_delay_millis: z.int().min(100).max(60_000).nullish().describe('How long spans are gathered; 2000.'),
})

const OtlpBlock = z.strictObject({
  enabled: z.boolean().nullish().describe('False switches it off; true unless said.'),
  endpoint: z
    .url({ protocol: /^https?$/, error: 'expected an http or https address' })
    .nullish()
    .describe(
      'The collector; `/v1/traces` is added. `http://localhost:4318` unless said; `OTEL_EXPORTER_OTLP_ENDPOINT` wins.',
    ),
  protocol: z.literal('http').nullish().describe('`http`: OTLP over HTTP in JSON.'),
  headers: z
    .record(z.string(), z.string())
    .nullish()
    .describe('Sent with every request, keys as `${VARIABLE}`; those of `OTEL_EXPORTER_OTLP_HEADERS` win.'),
  timeout_ms: z.int().min(1000).max(300_000).nullish().describe('How long the collector may take; 30000.'),
  compression: z.enum(['gzip', 'none']).nullish().describe('`none` unless said.'),
})

const ExportersBlock = z.strictObject({
  otlp: OtlpBlock.nullish().describe('To a collector.'),
  console: z
    .strictObject({
      enabled: z.boolean().nullish().describe('One line in the process log for each span. Off unless true.'),
    })
    .nullish()
    .describe('To the process log.'),
})

export const ObservabilityBlock = z.strictObject({
  enabled: z.boolean().nullish().describe('Whether turns are told as OpenTelemetry traces. Off unless true.'),
  service_name: text.nullish().describe('`service.name` of its spans; `quarterdeck-` and its name unless said.'),
  resource_attributes: z
    .record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean()], { error: 'expected a text, a number or a boolean' }),
    )
    .nullish()
    .describe('More attributes of the resource, such as `deployment.environment.name`.'),
  traces: TracesBlock.nullish().describe('What is told.'),
  exporters: ExportersBlock.nullish().describe('To whom; without one, to the process log.'),
})
export type ObservabilityBlock = z.infer<typeof ObservabilityBlock>
