import { DataType } from 'apache-arrow'

/** The type DuckDB makes of an Arrow type. */
export function duckType(type: DataType): string {
  if (DataType.isDictionary(type)) return duckType(type.dictionary)
  if (DataType.isInt(type)) return intTypes[`${type.isSigned ? '' : 'U'}${type.bitWidth}`] ?? 'BIGINT'
  if (DataType.isFloat(type)) return type.precision === 2 ? 'DOUBLE' : 'FLOAT'
  if (DataType.isBool(type)) return 'BOOLEAN'
  if (DataType.isDecimal(type)) return `DECIMAL(${type.precision},${type.scale})`
  if (DataType.isDate(type)) return 'DATE'
  if (DataType.isTimestamp(type)) return type.timezone ? 'TIMESTAMP WITH TIME ZONE' : 'TIMESTAMP'
  if (DataType.isTime(type)) return 'TIME'
  if (DataType.isInterval(type)) return 'INTERVAL'
  if (DataType.isBinary(type) || DataType.isFixedSizeBinary(type) || DataType.isLargeBinary(type)) return 'BLOB'
  if (DataType.isMap(type)) return 'MAP'
  if (DataType.isStruct(type))
    return `STRUCT(${type.children.map((child) => `"${child.name}" ${duckType(child.type)}`).join(', ')})`
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) return `${duckType(type.children[0]?.type ?? type)}[]`
  return 'VARCHAR'
}

const intTypes: Readonly<Record<string, string>> = {
  8: 'TINYINT',
  16: 'SMALLINT',
  32: 'INTEGER',
  64: 'BIGINT',
  U8: 'UTINYINT',
  U16: 'USMALLINT',
  U32: 'UINTEGER',
  U64: 'UBIGINT',
}
