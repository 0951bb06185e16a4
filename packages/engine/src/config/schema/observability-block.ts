// `observability:` as users write it: the export of traces.
import { z } from 'zod'
import { booleanSetting, httpAddress, optionalSetting, text } from './setting-schemas.ts'

const TracesBlock = z.strictObject({
  enabled: booleanSetting('False exports no traces. Default: true.'),
  sample_rate: optionalSetting(z.number().min(0).max(1), 'The share of turns to export, from 0 to 1. Default: 1.'),
  capture_content: booleanSetting(
    'Whether to export messages, answers, and inputs and results of tools, without secrets. Default: false.',
  ),
  max_queue_size: optionalSetting(
    z.int().min(1).max(100_000),
    'The maximum number of waiting spans; further spans are dropped. Default: 2048.',
  ),
  max_export_batch_size: optionalSetting(z.int().min(1).max(10_000), 'Spans in one request. Default: 512.'),
  schedule_delay_millis: optionalSetting(
    z.int().min(100).max(60_000),
    'How long spans are collected before they are sent, in milliseconds. Default: 2000.',
  ),
})

const OtlpBlock = z.strictObject({
  enabled: booleanSetting('False disables the collector. Default: true.'),
  endpoint: optionalSetting(
    httpAddress,
    'The collector; `/v1/traces` is added. `OTEL_EXPORTER_OTLP_ENDPOINT` overrides it. Default: `http://localhost:4318`.',
  ),
  protocol: optionalSetting(z.literal('http'), '`http`: OTLP over HTTP in JSON.'),
  headers: optionalSetting(
    z.record(z.string(), z.string()),
    'Headers of every request; write keys as `${VARIABLE}`. `OTEL_EXPORTER_OTLP_HEADERS` overrides them.',
  ),
  timeout_ms: optionalSetting(
    z.int().min(1000).max(300_000),
    'Time limit of one request in milliseconds. Default: 30000.',
  ),
  compression: optionalSetting(z.enum(['gzip', 'none']), 'Compression of requests. Default: `none`.'),
})

const ExportersBlock = z.strictObject({
  otlp: optionalSetting(OtlpBlock, 'Export to an OpenTelemetry collector.'),
  console: optionalSetting(
    z.strictObject({ enabled: booleanSetting('Writes one line to the process log for each span. Default: false.') }),
    'Export to the process log.',
  ),
})

export const ObservabilityBlock = z.strictObject({
  enabled: booleanSetting('Whether to export turns as OpenTelemetry traces. Default: false.'),
  service_name: optionalSetting(text, '`service.name` of its spans. Default: `quarterdeck-` and the agent name.'),
  resource_attributes: optionalSetting(
    z.record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean()], { error: 'expected a text, a number or a boolean' }),
    ),
    'Further attributes of the resource, such as `deployment.environment.name`.',
  ),
  traces: optionalSetting(TracesBlock, 'Settings of the traces.'),
  exporters: optionalSetting(ExportersBlock, 'Targets of the export. Default: the process log.'),
})
export type ObservabilityBlock = z.infer<typeof ObservabilityBlock>
