// The formats of text fields. A form shows a time in the local time zone; answers have a time zone.
import { z } from 'zod'

export type InputType = 'text' | 'email' | 'url' | 'date' | 'datetime-local'

const inputTypes: Readonly<Record<string, InputType>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
}

export const inputTypeOfFormat = (format: unknown): InputType =>
  (typeof format === 'string' && Object.hasOwn(inputTypes, format) ? inputTypes[format] : undefined) ?? 'text'

/** As `format: date-time` requires it, with seconds and a time zone. */
const fullTime = z.iso.datetime({ offset: true }).regex(/T\d{2}:\d{2}:\d{2}/)

const formats: Readonly<Record<InputType, { readonly schema: z.ZodType; readonly problem: string }>> = {
  text: { schema: z.string(), problem: 'must be a text' },
  email: { schema: z.email(), problem: 'must be an email address' },
  url: { schema: z.url(), problem: 'must be an address like https://example.com' },
  date: { schema: z.iso.date(), problem: 'must be a date like 2026-05-04' },
  'datetime-local': {
    schema: fullTime,
    problem: 'must be a date and a time with a time zone, like 2026-05-04T10:00:00Z',
  },
}

export function checkFormat(inputType: InputType, text: string): string | null {
  const { schema, problem } = formats[inputType]
  return schema.safeParse(text).success ? null : problem
}

const localTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i

/** As a `datetime-local` field holds it. `null` if the text is not a time. A time without a zone counts as local. */
export function toLocalTime(text: string): string | null {
  const time = readTime(text)
  if (time === null) return null
  const two = (number: number) => String(number).padStart(2, '0')
  const day = [String(time.getFullYear()).padStart(4, '0'), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${day}T${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`
}

/** A full time stays as it is; others get a time zone. `null` if the text is not a time. */
export function fromLocalTime(local: string): string | null {
  const time = readTime(local)
  if (time === null) return null
  return fullTime.safeParse(local).success ? local : time.toISOString()
}

/** `Date` alone also reads "room 12", and turns February 30 into March 2. */
function readTime(text: string): Date | null {
  const time = new Date(text)
  if (!localTime.test(text) || Number.isNaN(time.getTime())) return null
  const day = text.slice(0, 10)
  return new Date(day).toISOString().startsWith(day) ? time : null
}
