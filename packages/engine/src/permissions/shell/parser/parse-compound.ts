// Groups, conditions and loops. Each one becomes the simple commands inside it.
import { parseWord } from './parse-word.ts'
import { expectText, matchHere, NotUnderstood, peek, type Scanner, skipBlanks, startsWith } from './scanner.ts'
import { expectKeyword, keywordAt, nested, newCommand, skipNewlines, skipSeparators } from './script-pieces.ts'
import { isArithmetic, readArithmeticCommand } from './shell-expansion.ts'
import type { SimpleCommand, Word } from './shell-syntax.ts'
import { finishWord, pushPart } from './word-builder.ts'

export function parseBlock(scanner: Scanner, ends: { open: string; close: string }): SimpleCommand[] {
  return nested(scanner, (inner) => {
    inner.at += ends.open.length
    const commands = inner.parseScript(inner, keywordAt(ends.close))
    expectKeyword(inner, ends.close)
    return commands
  })
}

export function parseParentheses(scanner: Scanner): SimpleCommand[] {
  if (startsWith(scanner, '((') && isArithmetic(scanner)) return parseArithmetic(scanner)
  return nested(scanner, (inner) => {
    inner.at += 1
    const commands = inner.parseScript(inner, (position) => peek(position) === ')')
    expectText(inner, ')')
    return commands
  })
}

/** `((1 + 1))` runs nothing. With a name in it, the value of the variable is evaluated too. */
function parseArithmetic(scanner: Scanner): SimpleCommand[] {
  const start = scanner.at
  const builder = readArithmeticCommand(scanner)
  if (!builder.found.evaluates) return builder.inner
  const source = scanner.source.slice(start, scanner.at)
  pushPart(builder, 'hole', source)
  const word = finishWord(source, builder, { isFilled: true, hasBrackets: false })
  return [newCommand(scanner, start, { words: [word], assignments: [], redirections: [] })]
}

export function parseIf(scanner: Scanner): SimpleCommand[] {
  return nested(scanner, (inner) => {
    const commands: SimpleCommand[] = []
    expectKeyword(inner, 'if')
    for (;;) {
      commands.push(...inner.parseScript(inner, keywordAt('then')))
      expectKeyword(inner, 'then')
      commands.push(...inner.parseScript(inner, keywordAt('elif', 'else', 'fi')))
      if (!keywordAt('elif')(inner)) break
      expectKeyword(inner, 'elif')
    }
    if (keywordAt('else')(inner)) {
      expectKeyword(inner, 'else')
      commands.push(...inner.parseScript(inner, keywordAt('fi')))
    }
    expectKeyword(inner, 'fi')
    return commands
  })
}

export function parseLoop(scanner: Scanner, keyword: string): SimpleCommand[] {
  return nested(scanner, (inner) => {
    expectKeyword(inner, keyword)
    const condition = inner.parseScript(inner, keywordAt('do'))
    return [...condition, ...parseBlock(inner, { open: 'do', close: 'done' })]
  })
}

export function parseFor(scanner: Scanner, keyword: string): SimpleCommand[] {
  return nested(scanner, (inner) => {
    const commands: SimpleCommand[] = []
    expectKeyword(inner, keyword)
    skipBlanks(inner)
    if (startsWith(inner, '((')) {
      commands.push(...parseArithmetic(inner))
    } else {
      const start = inner.at
      const name = parseWord(inner).source
      if (name === '') throw new NotUnderstood('a loop without a variable')
      skipNewlines(inner)
      if (keywordAt('in')(inner)) {
        expectKeyword(inner, 'in')
        const assignments = parseWords(inner).map((value) => ({ name, value }))
        commands.push({ ...newCommand(inner, start, { words: [], assignments, redirections: [] }), isLoopHead: true })
      }
    }
    skipSeparators(inner)
    if (!keywordAt('do')(inner)) throw new NotUnderstood('"do" is missing')
    return [...commands, ...parseBlock(inner, { open: 'do', close: 'done' })]
  })
}

function parseWords(scanner: Scanner): Word[] {
  const words: Word[] = []
  for (;;) {
    skipBlanks(scanner)
    const word = parseWord(scanner)
    if (word.source === '') return words
    words.push(word)
  }
}

export function parseCase(scanner: Scanner): SimpleCommand[] {
  return nested(scanner, (inner) => {
    expectKeyword(inner, 'case')
    skipBlanks(inner)
    const commands: SimpleCommand[] = runByWord(inner, parseWord(inner))
    skipNewlines(inner)
    expectKeyword(inner, 'in')
    for (;;) {
      skipSeparators(inner)
      if (keywordAt('esac')(inner)) break
      commands.push(...parseCasePattern(inner))
      const isEnd = (position: Scanner) =>
        startsWith(position, ';;') || startsWith(position, ';&') || keywordAt('esac')(position)
      commands.push(...inner.parseScript(inner, isEnd))
      const end = matchHere(inner, /;;&|;;|;&/y)
      if (end === null && !keywordAt('esac')(inner)) throw new NotUnderstood('"esac" is missing')
      inner.at += end?.length ?? 0
    }
    expectKeyword(inner, 'esac')
    return commands
  })
}

/** A word that is only compared runs its substitutions, and itself if it evaluates. */
function runByWord(scanner: Scanner, word: Word): SimpleCommand[] {
  if (!word.evaluates) return [...word.inner]
  return [newCommand(scanner, scanner.at, { words: [word], assignments: [], redirections: [] })]
}

function parseCasePattern(scanner: Scanner): SimpleCommand[] {
  const commands: SimpleCommand[] = []
  if (peek(scanner) === '(') scanner.at += 1
  for (;;) {
    skipBlanks(scanner)
    const word = parseWord(scanner)
    commands.push(...runByWord(scanner, word))
    skipBlanks(scanner)
    const next = peek(scanner)
    if (word.source === '' || (next !== '|' && next !== ')')) throw new NotUnderstood('a case that is not closed')
    scanner.at += 1
    if (next === ')') return commands
  }
}

/** `[[ … ]]`: its operators are not pipes or redirections. */
export function parseTest(scanner: Scanner): SimpleCommand[] {
  const start = scanner.at
  const words: Word[] = []
  for (;;) {
    skipNewlines(scanner)
    const operator = matchHere(scanner, /&&|\|\||[()<>|&;](?!\()/y)
    if (operator !== null && operator !== ';' && operator !== '&') {
      scanner.at += operator.length
      continue
    }
    const word = parseWord(scanner)
    if (word.source === '') throw new NotUnderstood('"]]" is missing')
    words.push(word)
    if (word.source === ']]') break
  }
  return [newCommand(scanner, start, { words, assignments: [], redirections: [] })]
}
