// The result of a server's tool as text and images.
import { z } from 'zod'
import type { ToolOutput } from '../../ports/tool-call.ts'
import { type ToolImage, takeImages } from '../input-images.ts'
import { cut, longestOutput } from '../modules/longest-output.ts'

const Resource = z.looseObject({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
})

const Piece = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('audio'), mimeType: z.string() }),
  z.looseObject({ type: z.literal('resource'), resource: Resource }),
  z.looseObject({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
  }),
])
type Piece = z.infer<typeof Piece>

/** Loose: servers may return anything. */
export const ToolResult = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.looseObject({}).optional(),
  isError: z.boolean().optional(),
})
export type ToolResult = z.infer<typeof ToolResult>

export function outputOfResult({ content, structuredContent, isError = false }: ToolResult): ToolOutput {
  const pieces = content.map(pieceOf)
  const texts = pieces.map(textOf).filter((text) => text !== '')
  // Structured content should be repeated as text, but not all servers do that.
  const structured = structuredContent !== undefined && texts.length === 0 ? [JSON.stringify(structuredContent)] : []
  const { images, leftOut } = takeImages(pieces.flatMap(imagesOf))
  return {
    output: cut([...texts, ...structured, ...leftOut].join('\n'), longestOutput),
    isError,
    ...(images.length > 0 && { images }),
  }
}

function pieceOf(value: unknown): Piece {
  const piece = Piece.safeParse(value)
  return piece.success ? piece.data : { type: 'text', text: JSON.stringify(value) }
}

function textOf(piece: Piece): string {
  switch (piece.type) {
    case 'text':
      return piece.text
    case 'image':
      return ''
    case 'audio':
      return `[audio is not supported: ${piece.mimeType}]`
    case 'resource_link':
      return `[${[piece.name, piece.description].filter(Boolean).join(': ') || 'a resource'}](${piece.uri})`
    case 'resource': {
      const { uri, text, mimeType } = piece.resource
      if (text !== undefined) return `${uri}:\n${text}`
      return imagesOf(piece).length > 0 ? uri : `[${uri}: ${mimeType ?? 'data'} that is not text]`
    }
  }
}

function imagesOf(piece: Piece): ToolImage[] {
  if (piece.type === 'image') return [{ mediaType: piece.mimeType, data: piece.data }]
  if (piece.type !== 'resource') return []
  const { blob, mimeType = '' } = piece.resource
  return blob !== undefined && mimeType.startsWith('image/') ? [{ mediaType: mimeType, data: blob }] : []
}
