import { describe, expect, it } from 'vitest'
import { createMetricRegistry } from './metric-registry.ts'

const shared = { help: 'Some things.', audience: 'everybody' } as const

describe('the metric registry', () => {
  it('writes the Prometheus format with escaped labels', async () => {
    const registry = createMetricRegistry()
    const counter = registry.counter({ ...shared, name: 'things_total', labels: ['kind'] })
    counter.add(['a "quoted"\nback\\slash'])
    counter.add(['plain'], 2.5)
    registry.counter({ ...shared, name: 'never_total', help: 'One\nline with \\.' })
    expect(await registry.text('everybody')).toBe(
      [
        '# HELP things_total Some things.',
        '# TYPE things_total counter',
        'things_total{kind="a \\"quoted\\"\\nback\\\\slash"} 1',
        'things_total{kind="plain"} 2.5',
        '# HELP never_total One\\nline with \\\\.',
        '# TYPE never_total counter',
        'never_total 0',
        '',
      ].join('\n'),
    )
  })

  it('counts a histogram value in every bucket that is large enough', async () => {
    const registry = createMetricRegistry()
    const took = registry.histogram({ ...shared, name: 'took_seconds', labels: ['route'], buckets: [1, 10] })
    for (const seconds of [0.5, 1, 5, 50]) took.observe(['/a'], seconds)
    expect((await registry.text('everybody')).split('\n').slice(2, -1)).toEqual([
      'took_seconds_bucket{route="/a",le="1"} 2',
      'took_seconds_bucket{route="/a",le="10"} 3',
      'took_seconds_bucket{route="/a",le="+Inf"} 4',
      'took_seconds_sum{route="/a"} 56.5',
      'took_seconds_count{route="/a"} 4',
    ])
  })

  it('limits label values and counts further ones as other', async () => {
    const registry = createMetricRegistry()
    const counter = registry.counter({ ...shared, name: 'things_total', labels: ['a', 'b'] })
    for (let name = 0; name < 2000; name += 1) counter.add([`${name}`, 'x'])
    const lines = (await registry.text('everybody')).split('\n').filter((line) => line.startsWith('things_total'))
    expect(lines).toHaveLength(501)
    expect(lines.at(-1)).toBe('things_total{a="other",b="other"} 1500')
  })

  it('shows metrics of all owners only to admins, and omits a reading that fails', async () => {
    const registry = createMetricRegistry()
    registry.counter({ ...shared, name: 'open_total' })
    registry.counter({ ...shared, name: 'all_total', audience: 'admin' })
    registry.reading({ ...shared, name: 'broken' }, () => Promise.reject(new Error('not now')))
    expect(await registry.text('everybody')).toMatch(/open_total 0\n$/)
    expect(await registry.text('everybody')).not.toMatch(/all_total|broken/)
    expect(await registry.text('admin')).toContain('all_total 0')
  })
})
