// `observability:` as users write it: the export of traces.
import { z } from 'zod'

const text = z.string().trim().min(1, 'must not be blank')

const TracesBlock = z.strictObject({
  enabled: z.boolean().nullish().describe('False exports no traces. Default: true.'),
  sample_rate: z.number().min(0).max(1).nullish().describe('The share of turns to export, from 0 to 1. Default: 1.'),
  capture_content: z
    .boolean()
    .nullish()
    .describe('Whether to export messages, answers, and inputs and results of tools, without secrets. Default: false.'),
  max_queue_size: z
    .int()
    .min(1)
    .max(100_000)
    .nullish()
    .describe('The maximum number of waiting spans; further spans are dropped. Default: 2048.'),
  max_export_batch_size: z.int().min(1).max(10_000).nullish().describe('Spans in one request. Default: 512.'),
  schedule_delay_millis: z
    .int()
    .min(100)
    .max(60_000)
    .nullish()
    .describe('How long spans are collected before they are sent, in milliseconds. Default: 2000.'),
})

const OtlpBlock = z.strictObject({
  enabled: z.boolean().nullish().describe('False disables the collector. Default: true.'),
  endpoint: z
    .url({ protocol: /^https?$/, error: 'expected an http or https address' })
    .nullish()
    .describe(
      'The collector; `/v1/traces` is added. `OTEL_EXPORTER_OTLP_ENDPOINT` overrides it. Default: `http://localhost:4318`.',
    ),
  protocol: z.literal('http').nullish().describe('`http`: OTLP over HTTP in JSON.'),
  headers: z
    .record(z.string(), z.string())
    .nullish()
    .describe('Headers of every request; write keys as `${VARIABLE}`. `OTEL_EXPORTER_OTLP_HEADERS` overrides them.'),
  timeout_ms: z
    .int()
    .min(1000)
    .max(300_000)
    .nullish()
    .describe('Time limit of one request in milliseconds. Default: 30000.'),
  compression: z.enum(['gzip', 'none']).nullish().describe('Compression of requests. Default: `none`.'),
})

const ExportersBlock = z.strictObject({
  otlp: OtlpBlock.nullish().describe('Export to an OpenTelemetry collector.'),
  console: z
    .strictObject({
      enabled: z.boolean().nullish().describe('Writes one line to the process log for each span. Default: false.'),
    })
    .nullish()
    .describe('Export to the process log.'),
})

export const ObservabilityBlock = z.strictObject({
  enabled: z.boolean().nullish().describe('Whether to export turns as OpenTelemetry traces. Default: false.'),
  service_name: text.nullish().describe('`service.name` of its spans. Default: `quarterdeck-` and the agent name.'),
  resource_attributes: z
    .record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean()], { error: 'expected a text, a number or a boolean' }),
    )
    .nullish()
    .describe('Further attributes of the resource, such as `deployment.environment.name`.'),
  traces: TracesBlock.nullish().describe('Settings of the traces.'),
  exporters: ExportersBlock.nullish().describe('Targets of the export. Default: the process log.'),
})
export type ObservabilityBlock = z.infer<typeof ObservabilityBlock>
