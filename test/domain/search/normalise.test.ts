import { describe, expect, it } from 'vitest';
import { cardNumberKey, compoundsOf, fold, wordsOf } from '../../../src/domain/search/normalise.ts';

describe('fold', () => {
  it.each([
    ["Tome of Fyendal's", 'tome of fyendals'],
    ['Fyendal’s Spring Tunic', 'fyendals spring tunic'],
    ['Enlightened Strike (Red)', 'enlightened strike red'],
    ['10,000 Year Reunion', '10000 year reunion'],
    ['Ser Boltyn, Breaker of Dawn', 'ser boltyn breaker of dawn'],
    ['Riches of Trōpal-Dhani', 'riches of tropal dhani'],
    ['Jarl Vetreiði', 'jarl vetreidi'],
    ['Potion of Déjà Vu', 'potion of deja vu'],
    ['Æther Bø Straße Œuvre Łódź', 'aether bo strasse oeuvre lodz'],
    ['Đorđe Þórr Ħal ıyslander', 'dorde thorr hal iyslander'],
    ['Squizzy & Floof', 'squizzy and floof'],
    ['Burn Up // Shock', 'burn up shock'],
    ['ＷＴＲ００１', 'wtr001'],
    ['soft\u00adhyphen and zero\u200bwidth', 'softhyphen and zerowidth'],
    ['İstanbul', 'istanbul'],
    ['  [1st Edition]  ', '1st edition'],
    ['炎の剣', '炎の剣'],
  ])('%s', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it('gives nothing for punctuation alone', () => {
    expect(fold('//!? …—')).toBe('');
    expect(wordsOf('...')).toEqual([]);
  });

  it('is the same twice', () => {
    for (const text of ['Re-Charge!', 'Œ & ﬁ', 'e\u0301', "a'b`c´d"])
      expect(fold(fold(text))).toBe(fold(text));
  });
});

describe('compoundsOf', () => {
  it('joins what punctuation breaks, and only that', () => {
    expect(compoundsOf('Re-Charge! (Red)')).toEqual(['recharge']);
    expect(compoundsOf("Jack-o'-lantern")).toEqual(['jackolantern']);
    expect(compoundsOf('Dash I/O')).toEqual(['io']);
    expect(compoundsOf('Burn Up // Shock')).toEqual([]);
  });
});

describe('cardNumberKey', () => {
  it.each(['WTR001', 'wtr 1', 'WTR-001', 'wtr01', ' Wtr  0001 '])('%s is wtr1', (text) => {
    expect(cardNumberKey(text)).toBe('wtr1');
  });

  it('keeps digits of the set and zeros within the number', () => {
    expect(cardNumberKey('1HP361')).toBe('1hp361');
    expect(cardNumberKey('1hp 100')).toBe('1hp100');
  });

  it('is null for what is no number', () => {
    expect(cardNumberKey('wtr')).toBeNull();
    expect(cardNumberKey('wtr001a')).toBeNull();
    expect(cardNumberKey('10000')).toBeNull();
    expect(cardNumberKey('')).toBeNull();
  });
});

it('folds a text of many accents, in whatever order, as one of none', () => {
  expect(fold(`a${'\u0301\u0323'.repeat(240_000)}b`)).toBe('ab');
  expect(fold('e\u0323\u0301a\u0301\u0323')).toBe(fold('ea'));
});
