import type { Migration } from 'kysely'
import { runStatements } from './run-statements.ts'

/**
 * Additions to texts in progress go into rows that contain pieces of many texts, at the end of one table: the disk then
 * writes a few pages instead of one page per text.
 */
export const textInPieces: Migration = {
  up: (db) =>
    runStatements(db, [
      `alter table open_texts add column writer text default '' not null`,
      'alter table open_texts add column since bigint default 0 not null',
      'create index open_texts_by_writer on open_texts (writer, since)',
      `create table text_pieces (
        writer text not null, batch bigint not null, pieces text not null,
        constraint text_pieces_key primary key (writer, batch))`,
    ]),
}
