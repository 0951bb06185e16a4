// The words errors are made of, of DuckDB and of JavaScript: everything else in one could be a cell.
import { wordsOf } from './known-words.ts'

export const errorWords: ReadonlySet<string> = new Set(
  wordsOf(`a an the of in on at to from for with without by and or not no is are was were be been has have had it its this that
    these those there here which who what where when while if then else than as so but only also more most least less any all
    each every one two both can cannot could may might must should would will did do does you your we our use used using
    try trying instead because between inside outside into over under out off about after before during until again already
    still yet because either neither same other another different new old such example
    error exception failed failure fail fails problem reason invalid illegal unknown unexpected unsupported missing empty
    conversion convert converted converting cast casts casting casted explicit implicit explicitly implicitly type types typed
    value values string strings text number numbers numeric integer int32 int64 int8 int16 uint8 uint16 uint32 uint64 int128
    bigint smallint tinyint hugeint uhugeint ubigint uinteger usmallint utinyint
    double float decimal varchar char boolean bool date dates day month year hour minute second time timestamp timestamptz
    timestamp_ns timestamp_ms timestamp_s zone interval uuid blob bit list struct map enum array json null nulls any union
    true false binder parser catalog syntax invalidinput input output constraint range memory overflow underflow division
    zero out-of-range bounds limit exceeded exceeds exceed large small long short maximum minimum max min size length depth
    table tables column columns row rows view views schema schemas database databases function functions scalar aggregate macro
    operator operators argument arguments parameter parameters expression expressions clause clauses statement statements query
    queries subquery subqueries alias aliases name names named names reference references referenced referencing candidate
    candidates binding bindings bound bind binds unbound ambiguous ambiguity duplicate unique key keys index indexes
    select group order having where join left right full outer inner cross natural on using union except intersect limit offset
    distinct filter window qualify partition pivot unpivot values with recursive lateral insert update delete create drop alter
    contain contains contained match matches matched matching found find exist exists existing appear appears add adding added
    needs need needed required requires require expected expects given get got set sets setting option options configuration
    allowed allow allows support supported supports implemented implement available enabled disabled permission access file
    files system operations read write reading writing open opening line near position character characters end beginning start
    token tokens identifier identifiers keyword keywords quote quotes quoted single double bracket parenthesis comma
    format formats formatted specifier pattern regular regex regexp parse parsed parsing could
    field fields source target result results return returned returns returning more than scalar subqueries revert previous
    behavior random element elements entry entries mean did similar suggestion extension extensions install load
    transaction aborted interrupted cancelled canceled timeout stopped seconds internal fatal out bound
    typeerror referenceerror syntaxerror rangeerror urierror evalerror aggregateerror properties property undefined
    defined object iterable iterate constructor class assignment constant variable variables before initialization
    initialize access missing after identifier reserved word mode strict await async generator promise
    stack call size proxy symbol regular prototype length buffer reduce initial convert primitive
    read reading set super method number bigint mix division code threw thrown nothing flat records record objects nested
    seems way some single value`),
)
