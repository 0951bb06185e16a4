import type { Definition } from './passage.ts'

const longestMeaning = 400

const defining =
  /(?:["“]([^"”\n]{2,60})["”]|\*\*([^*\n]{2,60})\*\*)\s+(?:shall\s+)?(?:means?|refers?\s+to|is\s+defined\s+as|has\s+the\s+meaning)\b\s*(.*?)(?=\n\s*\n|\n\d+(?:\.\d+)+\s|\n["“*]|\.(?:\s|$)|;(?:\s|$)|$)/gis

/** `"Device" means a probe …` and `**Sonde** means …`. */
export function extractDefinitions(text: string): Definition[] {
  return [...text.matchAll(defining)].flatMap(([, quoted, bold, meaning]) => {
    const term = (quoted ?? bold ?? '').trim()
    const words = (meaning ?? '').replaceAll(/\s+/g, ' ').trim()
    return term === '' || words === '' ? [] : [{ term, meaning: words.slice(0, longestMeaning) }]
  })
}
