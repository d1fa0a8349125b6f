import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/domain/errors.ts';
import {
  parseQuery,
  SUMMARY_SEARCH_FIELDS,
  TRANSACTION_SEARCH_FIELDS,
} from '../../../src/domain/search/parse.ts';
import type { QueryNode } from '../../../src/domain/search/query.ts';

/** The tree as text, e.g. `and(text[a b], not(text![c]))`, where `!` is for whole words. */
function shown(node: QueryNode): string {
  switch (node.kind) {
    case 'and':
    case 'or':
      return `${node.kind}(${node.parts.map(shown).join(', ')})`;
    case 'not':
      return `not(${shown(node.part)})`;
    case 'text':
      return `text${node.wholeWords ? '!' : ''}[${node.words.map(({ text }) => text).join(' ')}]`;
    case 'phrase':
      return `phrase[${node.words.join(' ')}]`;
    case 'field':
      return `${node.field}[${node.words.join(' ')}]`;
    case 'flag':
      return node.flag;
    case 'exactName':
      return `exact[${node.words.join(' ')}]`;
    case 'recorded':
      if ('values' in node) return `${node.field}[${node.values.join(' ')}]`;
      if (node.field === 'graded') return node.field;
      return node.field === 'tag' ? `tag[${node.value}]` : `grade ${node.operator} ${node.value}`;
    default:
      return `${node.field} ${node.operator} ${node.value}`;
  }
}

const tree = (query: string) => shown(parseQuery(query).root);
const summaryTree = (query: string) => shown(parseQuery(query, SUMMARY_SEARCH_FIELDS).root);

function refusal(query: string, fields = undefined as typeof SUMMARY_SEARCH_FIELDS | undefined): string {
  try {
    parseQuery(query, fields);
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    expect((error as DomainError).problem).toBe('InvalidQuery');
    return (error as DomainError).message;
  }
  throw new Error(`"${query}" was taken`);
}

describe('what is recorded of cards', () => {
  const transactionTree = (query: string) => shown(parseQuery(query, TRANSACTION_SEARCH_FIELDS).root);

  it.each([
    ['condition:NM', 'condition[NearMint]'],
    ['condition:"near mint"', 'condition[NearMint]'],
    ['condition!=nm', 'not(condition[NearMint])'],
    ['condition>=lp', 'condition[NearMint LightlyPlayed]'],
    ['condition:<mp', 'condition[HeavilyPlayed Damaged]'],
    ['condition>mint', 'condition[]'],
    ['condition:nm,lp', 'or(condition[NearMint], condition[LightlyPlayed])'],
    ['language:de', 'language[DE]'],
    ['lang:German', 'language[DE]'],
    ['-language:jp snatch', 'and(text[snatch], not(language[JA]))'],
    ['tag:"Trade Binder"', 'tag[Trade Binder]'],
    ['tags:deck,trade', 'or(tag[deck], tag[trade])'],
    ['is:graded', 'graded'],
    ['not:graded', 'not(graded)'],
    ['grade:>=9', 'grade >= 9'],
    ['grade!=9.5', 'not(grade = 9.5)'],
  ])('%s', (query, expected) => {
    expect(transactionTree(query)).toBe(expected);
    expect(summaryTree(query)).toBe(expected);
  });

  it.each([
    [
      'condition:good',
      'Column 11: expected one of NM, LP, MP, HP, D, or its name in full, and found "good".',
    ],
    [
      'condition:damagd',
      'Column 11: expected one of NM, LP, MP, HP, D, or its name in full, and found "damagd" (Did you mean Damaged?).',
    ],
    [
      'language:tlh',
      'Column 10: expected one of EN, DE, FR, ES, IT, JA, or its English name, and found "tlh".',
    ],
    [
      'language:germn',
      'Column 10: expected one of EN, DE, FR, ES, IT, JA, or its English name, and found "germn" (Did you mean German?).',
    ],
    ['language>de', 'Column 9: expected ":" or "!=", since language is no number.'],
    ['grade:psa', 'Column 7: expected a number for grade.'],
    ['tag:', 'Column 5: expected a value for tag.'],
    ['is:rare', 'Column 4: expected one of sealed, foil, promo, reprint, token, graded, and found "rare".'],
  ])('refuses %s', (query, message) => {
    expect(refusal(query, TRANSACTION_SEARCH_FIELDS)).toBe(message);
  });

  it('tells the nearest fields', () => {
    expect(refusal('graded:yes', TRANSACTION_SEARCH_FIELDS)).toContain('The nearest is is:graded or grade.');
    expect(refusal('conditon:nm', TRANSACTION_SEARCH_FIELDS)).toContain('The nearest is condition.');
    expect(refusal('quantity>1', TRANSACTION_SEARCH_FIELDS)).toContain(
      'belongs to the summaries of a collection',
    );
  });

  it.each(['condition:nm', 'lang:de', 'tag:x', 'grade>9'])(
    'is no part of a search of products: %s',
    (query) => {
      expect(refusal(query)).toMatch(/^Column 1: .* is recorded of transactions; their search has it/);
      expect(refusal('is:graded')).toBe(
        'Column 4: expected one of sealed, foil, promo, reprint, token, and found "graded".',
      );
    },
  );
});

describe('plain words', () => {
  it.each([
    ["Tome of Fyendal's", 'text[tome of fyendals]'],
    ['Enlightened Strike (Red)', 'text[enlightened strike red]'],
    ['10,000 Year Reunion', 'text[10000 year reunion]'],
    ['Ser Boltyn, Breaker of Dawn', 'text[ser boltyn breaker of dawn]'],
    ['Mugenshi: RELEASE', 'text[mugenshi release]'],
    ['Fire Tenet: Strike First (Red)', 'text[fire tenet strike first red]'],
    ['Burn Up // Shock', 'text[burn up shock]'],
    ['Re-Charge!', 'text[re charge]'],
    ['Dash I/O', 'text[dash i o]'],
    ['Squizzy & Floof', 'text[squizzy and floof]'],
    ['WTR - 001', 'text[wtr 001]'],
    ['Argh... Smash!', 'text[argh smash]'],
    ['power 6 class', 'text[power 6 class]'],
    ['¡important! ¿que? — yes', 'text[important que yes]'],
    ['a\tb\nc', 'text[a b c]'],
    ['http: //x', 'text[http x]'],
    ['1+1=2', 'text[1 1 2]'],
    ['Mugenshi:', 'text[mugenshi]'],
    ['(Mugenshi:)', 'text[mugenshi]'],
    ['a ʼ b -ʼ', 'text[a b]'],
    ['Who Blinks First? * a', 'text[who blinks first a]'],
  ])('%s', (query, expected) => {
    expect(tree(query)).toBe(expected);
  });

  it('know where they were typed', () => {
    expect(parseQuery('wtr Re-Charge!').root).toEqual({
      kind: 'text',
      wholeWords: false,
      words: [
        { text: 'wtr', from: 0, to: 3 },
        { text: 're', from: 4, to: 14 },
        { text: 'charge', from: 4, to: 14 },
      ],
    });
  });
});

describe('operators', () => {
  it.each([
    ['a -b', 'and(text[a], not(text![b]))'],
    ['-a', 'not(text![a])'],
    ['-(a or b) c', 'and(text[c], not(or(text![a], text![b], phrase[a or b])))'],
    ['-"a b"', 'not(phrase[a b])'],
    ['-class:ninja', 'not(class[ninja])'],
    ['a--b - c --- d', 'text[a b c d]'],
    ['a or b c', 'or(text[a], text[b c], phrase[a or b c])'],
    ['a OR "b"', 'or(text[a], phrase[b])'],
    ['(a or class:ninja) b', 'and(text[b], or(text[a], class[ninja]))'],
    ['a class:ninja b (c pitch:1)', 'and(text[a b c], class[ninja], pitch = 1)'],
    ['((a))', 'text[a]'],
    ['"or"', 'phrase[or]'],
    ['oracle order for', 'text[oracle order for]'],
    ['“go again”', 'phrase[go again]'],
    ['a"b c"d', 'and(text[a d], phrase[b c])'],
  ])('%s', (query, expected) => {
    expect(tree(query)).toBe(expected);
  });

  it('"or" between words is also a part of names', () => {
    expect(tree('Truth or Trickery')).toBe('or(text[truth], text[trickery], phrase[truth or trickery])');
  });
});

describe('what people bring along from other tools', () => {
  it.each([
    ['class:ninja and pitch:red', 'and(class[ninja], pitch = 1)'],
    ['class:ninja AND pitch:red', 'and(class[ninja], pitch = 1)'],
    ['class:ninja && pitch:red', 'and(class[ninja], pitch = 1)'],
    ['class:ninja & pitch:red', 'and(class[ninja], pitch = 1)'],
    ['a & class:ninja', 'and(text[a], class[ninja])'],
    ['a & b', 'text[a and b]'],
    ['a && b', 'text[a b]'],
    ['a and pitch:1', 'and(text[a], pitch = 1)'],
    ['pitch:1 and a', 'and(text[a], pitch = 1)'],
    ['a and b', 'text[a and b]'],
    ['and a', 'text[and a]'],
    ['a and "b c"', 'and(text[a], phrase[b c])'],
    ['a and not class:ninja', 'and(text[a], not(class[ninja]))'],
    ['a and not b', 'and(text[a], not(text![b]))'],
    ['A & NOT B', 'and(text[a], not(text![b]))'],
    ['land not b', 'text[land not b]'],
    ['class:ninja and not b', 'and(class[ninja], not(text![b]))'],
    ['class:ninja not b', 'and(class[ninja], not(text![b]))'],
    ['"a" not b', 'and(phrase[a], not(text![b]))'],
    ['a | b', 'or(text[a], text[b], phrase[a b])'],
    ['pitch:1||pitch:2', 'or(pitch = 1, pitch = 2)'],
    ['a NOT b', 'and(text[a], not(text![b]))'],
    ['not class:ninja', 'not(class[ninja])'],
    ['not so fast', 'text[not so fast]'],
    ['NOT SO FAST', 'text[not so fast]'],
    ['down but not out', 'text[down but not out]'],
    ['class:ninja,brute', 'or(class[ninja], class[brute])'],
    ['class:ninja|brute', 'or(class[ninja], class[brute])'],
    ['class:ninja|class:brute', 'or(class[ninja], class[brute])'],
    ['class:ninja|-pitch:1', 'or(class[ninja], not(pitch = 1))'],
    ['class:ninja|!snatch', 'or(class[ninja], exact[snatch])'],
    ['class:ninja|(a)', 'or(class[ninja], text[a])'],
    ['cost<2|cost>5', 'or(cost < 2, cost > 5)'],
    ['cost<2|a', 'or(cost < 2, text[a])'],
    ['class!=ninja,brute', 'not(or(class[ninja], class[brute]))'],
    ['type:"attack action","hero"', 'or(type[attack action], type[hero])'],
    ['pitch:1,2', 'or(pitch = 1, pitch = 2)'],
    ['name:a,b', 'name[a b]'],
    ['cost:>=3', 'cost >= 3'],
    ['cost:<3', 'cost < 3'],
    ['cost==3', 'cost = 3'],
    ['cost=>3 cost=<4 cost<>5', 'and(cost >= 3, cost <= 4, cost != 5)'],
    ['rarity>=legendary', 'or(rarity[legendary], rarity[fabled])'],
    ['r<basic', 'or(rarity[token])'],
    ['r>f', 'rarity[none]'],
    ['!"command and conquer"', 'exact[command and conquer]'],
    ['-!snatch', 'not(exact[snatch])'],
    ['c:ninja t:hero s:wtr r:m p:red', 'and(class[ninja], type[hero], set[wtr], rarity[m], pitch = 1)'],
    ['c:red', 'pitch = 1'],
    ['o:draw k:boost st:aura tal:ice', 'and(text[draw], keyword[boost], subtype[aura], talent[ice])'],
    ['pow>3 def:2 block:2 cn:1', 'and(power > 3, defense = 2, defense = 2, number[1])'],
    ['e:alpha e:wtr', 'and(edition[alpha], set[wtr])'],
    ['usd<$5 eur<5€', 'and(price < 5, eur < 5)'],
    ['f:cc banned:ll restricted:ll', 'and(legal[cc], banned[ll], restricted[ll])'],
    ['is:foil not:promo', 'and(foil, not(promo))'],
    ['not:foil,promo not!=token', 'and(not(or(foil, promo)), not(not(token)))'],
    ['Smash! (a)', 'text[smash a]'],
    ['year>=2022', 'year >= 2022'],
    ['date:2022', 'and(date >= 20220101, date <= 20221231)'],
    ['date:2022-06', 'and(date >= 20220601, date <= 20220631)'],
    ['date>2022-06', 'date > 20220631'],
    ['date<=2022-06-24', 'date <= 20220624'],
    ['date!=2022', 'not(and(date >= 20220101, date <= 20221231))'],
  ])('%s', (query, expected) => {
    expect(tree(query)).toBe(expected);
  });

  it.each([
    ['/sn.tch/', 'Column 1: expected words, since regular expressions are not supported'],
    ['name:/sn.tch/', 'Column 6: expected a value for name; regular expressions are not supported'],
    ['sna*', 'Column 4: expected letters and digits alone, since the beginning of a word is enough'],
    ['snatch~2', 'Column 7: expected letters and digits alone'],
    ['a *natch', 'Column 3: expected letters and digits alone'],
    ['sn?tch', 'Column 3: expected letters and digits alone'],
    ['name:sna*', 'Column 9: expected letters and digits alone'],
    ['set:w*,arc', 'Column 6: expected letters and digits alone'],
    ['class:ninja,class:brute', 'Column 13: expected a value; "or" stands between filters.'],
    ['a !class:ninja', 'Column 4: expected a name after "!"; "-" stands before a filter to negate it.'],
    ['a !(b)', 'Column 4: expected a name after "!"; "-" stands before a group to negate it.'],
    ['a ! (b)', 'Column 5: expected a name after "!"; "-" stands before a group to negate it.'],
    ['class:ninja, brute', 'Column 13: expected a value right behind the comma.'],
    ['class:"ninja",', 'Column 15: expected a value right behind the comma.'],
    ['cost>1, a', 'Column 8: expected a value right behind the comma.'],
    ['order:name', 'Results come by relevance, and a query has no "order".'],
    ['cmc:3', 'The nearest is cost. "cmc" is no field'],
    ['clas:ninja', 'The nearest is class. "clas" is no field'],
    ['tal_ent:ice', '"tal_ent" is no field'],
    ['is:fetchland', 'Column 4: expected one of sealed, foil, promo, reprint, token, and found "fetchland".'],
    ['rarity>promo', 'Column 8: expected one of token, basic, common, rare, super rare, majestic'],
    ['cost>1,2', 'Column 8: expected one value after >.'],
    ['date:june', 'Column 6: expected a date such as 2022, 2022-06 or 2022-06-24.'],
    ['date:2022-13', 'Column 6: expected a date such as 2022, 2022-06 or 2022-06-24.'],
    ['class:ninja and', 'expected a word, a phrase or a filter on both sides of "and".'],
    ['a && ', 'expected a word, a phrase or a filter on both sides of "and".'],
  ])('refuses %s', (query, message) => {
    expect(refusal(query)).toContain(message);
  });
});

describe('filters', () => {
  it.each([
    ['class:ninja', 'class[ninja]'],
    ['CLASS:Ninja', 'class[ninja]'],
    ['class: ninja', 'class[ninja]'],
    ['class=ninja', 'class[ninja]'],
    ['class!=ninja', 'not(class[ninja])'],
    ['type:"attack action"', 'type[attack action]'],
    ['type:non-attack', 'type[non attack]'],
    ['set:wtr number:wtr001', 'and(set[wtr], number[wtr001])'],
    ['text:“go again”', 'text[go again]'],
    ['cost>=3', 'cost >= 3'],
    ['cost >= 3', 'cost >= 3'],
    ['cost:   3', 'cost = 3'],
    ['cost:" 3 "', 'cost = 3'],
    ['price:"5" a', 'and(text[a], price = 5)'],
    ['price<.25', 'price < 0.25'],
    ['price<5.', 'price < 5'],
    ['price<=99999999999.9999', 'price <= 99999999999.9999'],
    ['power!=6', 'power != 6'],
    ['power>-1', 'power > -1'],
    ['pitch:red', 'pitch = 1'],
    ['colour:Yellow color:blue', 'and(pitch = 2, pitch = 3)'],
    ['pitch<3', 'pitch < 3'],
    ['defence:3', 'defense = 3'],
    ['is:sealed -is:sealed', 'and(sealed, not(sealed))'],
  ])('%s', (query, expected) => {
    expect(tree(query)).toBe(expected);
  });

  it('take what a collection holds in summaries alone', () => {
    expect(summaryTree('quantity>=4 rarity:majestic gain>-0.5')).toBe(
      'and(quantity >= 4, rarity[majestic], gain > -0.5)',
    );
    expect(refusal('quantity>=4')).toMatch(
      /^Column 1: expected one of the fields name, .*summaries of a collection/,
    );
  });
});

describe('refusals', () => {
  it.each([
    ['', 'Column 1: expected a word to search for.'],
    [' \n ', 'Column 1: expected a word to search for.'],
    ['...', 'Column 4: expected a word, a phrase or a filter.'],
    ['foo>3', 'Column 1: expected one of the fields name, number'],
    ['foo>3', '"foo" is no field; put it in quotes to search for the text.'],
    ['foo= 3', 'Column 1: expected one of the fields name, number'],
    ['a foo:b', 'Column 3: expected one of the fields name, number'],
    ['constructor:b', 'Column 1: expected one of the fields name, number'],
    ['pitch:constructor', 'Column 7: expected a number, or red, yellow or blue for pitch.'],
    ['foo > 3', 'Column 5: expected a field before ">", such as cost.'],
    ['<3', 'Column 1: expected a field before "<", such as cost.'],
    ['a "b', 'Column 3: expected a closing quote for this one.'],
    ['"', 'Column 1: expected a closing quote for this one.'],
    ['""', 'Column 2: expected a word within the quotes.'],
    ['(a', 'Column 1: expected a closing parenthesis for this one.'],
    ['é (a (b)', 'Column 3: expected a closing parenthesis for this one.'],
    ['a) b', 'Column 2: expected an opening parenthesis before ")".'],
    ['()', 'Column 2: expected a word, a phrase or a filter.'],
    ['a or', 'Column 5: expected a word, a phrase or a filter.'],
    ['or a', 'Column 1: expected a word, a phrase or a filter.'],
    ['a or or b', 'Column 6: expected a word, a phrase or a filter.'],
    ['cost>=', 'Column 7: expected a value for cost.'],
    ['class:', 'Column 7: expected a value for class.'],
    ['class:(ninja)', 'Column 7: expected a value for class.'],
    ['class:!', 'Column 7: expected a value for class.'],
    ['class:""', 'Column 8: expected a word within the quotes.'],
    ['class>ninja', 'Column 6: expected ":" or "!=", since class is no number.'],
    ['cost>=x', 'Column 7: expected a number for cost.'],
    ['cost:red', 'Column 6: expected a number for cost.'],
    ['cost:1e3', 'Column 6: expected a number for cost.'],
    ['cost:NaN', 'Column 6: expected a number for cost.'],
    ['pitch:green', 'Column 7: expected a number, or red, yellow or blue for pitch.'],
    ['price<1.23456', 'Column 7: expected a number of at most 11 digits and 4 decimals.'],
    ['price<123456789012', 'Column 7: expected a number of at most 11 digits and 4 decimals.'],
    ['is:card', 'Column 4: expected one of sealed, foil, promo, reprint, token, and found "card".'],
    ['a\u0000b', 'Column 2: expected text, but found a control character or a lone surrogate.'],
    ['𝔞𝔟\u009f', 'Column 3: expected text, but found a control character or a lone surrogate.'],
    ['a\ud800', 'Column 2: expected text, but found a control character or a lone surrogate.'],
    ['\udc00a', 'Column 1: expected text, but found a control character or a lone surrogate.'],
  ])('%j', (query, message) => {
    expect(refusal(query)).toContain(message);
  });

  it('begin above 200 characters, however many units they have', () => {
    expect(tree('a'.repeat(200))).toBe(`text[${'a'.repeat(200)}]`);
    expect(tree('𠀀'.repeat(200))).toBe(`text[${'𠀀'.repeat(200)}]`);
    expect(refusal('a'.repeat(201))).toBe(
      'Column 201: expected the end, since a query has at most 200 characters; this one has 201.',
    );
  });

  it('count columns in characters', () => {
    expect(refusal('𝔞𝔟 "c')).toBe('Column 4: expected a closing quote for this one.');
  });
});
