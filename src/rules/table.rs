//! Rulebook and position, always of the same family: the pair that must not be mixed is one type.

use std::fmt;
use std::sync::Arc;

use super::kit::Kit;
use super::order;
use super::play::{
    Ask, Dice, Ending, Happening, Next, NoDice, Options, Play, Seat, View, What, Wrong,
};
use super::rulebook::{Rulebook, SpecError};

/// Compiled rules of one rulebook with its options chosen.
pub trait Rules: Send + Sync + fmt::Debug {
    /// The first position.
    fn begin(&self, dice: &mut dyn Dice, out: &mut Vec<Happening>) -> Box<dyn Position>;
    /// A position out of a snapshot.
    ///
    /// # Errors
    /// Bytes that are no position of this family.
    fn load(&self, bytes: &[u8]) -> Result<Box<dyn Position>, SpecError>;
    /// A position given by a record's header, for families that have such.
    ///
    /// # Errors
    /// The family has none, or it makes no sense.
    fn arrange(&self, position: &serde_json::Value) -> Result<Box<dyn Position>, SpecError>;
    /// The kit they were compiled with.
    fn kit(&self) -> &Kit;
}

/// A position with the rules that understand it; one implementor, generic over families.
pub trait Position: Send + Sync + fmt::Debug {
    #[doc(hidden)]
    fn boxed(&self) -> Box<dyn Position>;
    #[doc(hidden)]
    fn asks(&self) -> Vec<Ask>;
    #[doc(hidden)]
    fn texts(&self, seat: Seat) -> Vec<String>;
    #[doc(hidden)]
    fn may_stop(&self, seat: Seat) -> bool;
    /// Plays the legal step of that canonical text; false where there is none.
    #[doc(hidden)]
    fn step(
        &mut self,
        seat: Seat,
        canonical: &str,
        dice: &mut dyn Dice,
        out: &mut Vec<Happening>,
    ) -> bool;
    /// As [`Play::bind`], the square by its name.
    #[doc(hidden)]
    fn bind(&mut self, seat: Seat, square: &str) -> bool;
    #[doc(hidden)]
    fn stop(&mut self, seat: Seat, dice: &mut dyn Dice, out: &mut Vec<Happening>);
    #[doc(hidden)]
    fn forced(&self, seat: Seat) -> Option<String>;
    #[doc(hidden)]
    fn ending(&self) -> Option<Ending>;
    #[doc(hidden)]
    fn draw_claim(&self) -> Option<String>;
    #[doc(hidden)]
    fn turn_no(&self) -> u32;
    #[doc(hidden)]
    fn why_not(&self, seat: Seat, text: &str) -> Option<String>;
    #[doc(hidden)]
    fn view(&self, eyes: Option<Seat>) -> View;
    #[doc(hidden)]
    fn save(&self) -> Vec<u8>;
    #[doc(hidden)]
    fn perft(&self, depth: u32) -> u64;
    #[doc(hidden)]
    fn divide(&self, depth: u32) -> Vec<(String, u64)>;
    #[doc(hidden)]
    fn steps_exactly(&self, steps: u32) -> u64;
    #[doc(hidden)]
    fn kit(&self) -> &Kit;
}

/// Compiled rules and the kit they were compiled with.
#[derive(Debug)]
pub struct Fixed<P> {
    /// The kit.
    pub kit: Kit,
    /// The family's own part.
    pub play: P,
}

/// A position of one family.
#[derive(Debug)]
pub struct At<P: Play> {
    /// The rules.
    pub fixed: Arc<Fixed<P>>,
    /// The position.
    pub state: P::State,
}

impl<P: Play> Clone for At<P> {
    fn clone(&self) -> Self {
        At {
            fixed: Arc::clone(&self.fixed),
            state: self.state.clone(),
        }
    }
}

/// Compiles a family's spec; what each line of the list of families calls.
///
/// # Errors
/// As [`Play::new`].
pub fn compile<P>(spec: &P::Spec, kit: Kit) -> Result<Arc<dyn Rules>, SpecError>
where
    P: Play + Send + Sync + fmt::Debug + 'static,
    P::State: Send + Sync,
{
    for (key, value) in kit.options.iter().filter(|(key, _)| *key != "array") {
        let known: Vec<&str> = P::OPTIONS.iter().map(|(name, _)| *name).collect();
        let Some((_, values)) = P::OPTIONS.iter().find(|(name, _)| name == key) else {
            let error = SpecError::new(format!("this family of rules reads no option `{key}`"));
            return Err(match known.as_slice() {
                [] => error.hint("it has no options beside `array`"),
                some => error.hint(format!("options: {}", some.join(", "))),
            });
        };
        if !values.is_empty() && !values.contains(&value.as_str()) {
            return Err(
                SpecError::new(format!("option `{key}` knows no value `{value}`"))
                    .hint(format!("values: {}", values.join(", "))),
            );
        }
    }
    let play = P::new(spec, &kit)?;
    Ok(Arc::new(Shared(Arc::new(Fixed { kit, play }))))
}

#[derive(Debug)]
struct Shared<P>(Arc<Fixed<P>>);

impl<P> Rules for Shared<P>
where
    P: Play + Send + Sync + fmt::Debug + 'static,
    P::State: Send + Sync,
{
    fn begin(&self, dice: &mut dyn Dice, out: &mut Vec<Happening>) -> Box<dyn Position> {
        let state = self.0.play.begin(&self.0.kit, dice, out);
        Box::new(At {
            fixed: Arc::clone(&self.0),
            state,
        })
    }
    fn load(&self, bytes: &[u8]) -> Result<Box<dyn Position>, SpecError> {
        let state = postcard::from_bytes(bytes)
            .map_err(|e| SpecError::new(format!("the snapshot cannot be read: {e}")))?;
        Ok(Box::new(At {
            fixed: Arc::clone(&self.0),
            state,
        }))
    }
    fn arrange(&self, position: &serde_json::Value) -> Result<Box<dyn Position>, SpecError> {
        let state = self.0.play.arrange(&self.0.kit, position)?;
        Ok(Box::new(At {
            fixed: Arc::clone(&self.0),
            state,
        }))
    }
    fn kit(&self) -> &Kit {
        &self.0.kit
    }
}

impl<P> Position for At<P>
where
    P: Play + Send + Sync + fmt::Debug + 'static,
    P::State: Send + Sync,
{
    fn boxed(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
    fn asks(&self) -> Vec<Ask> {
        self.fixed.play.asks(&self.fixed.kit, &self.state)
    }
    fn texts(&self, seat: Seat) -> Vec<String> {
        let mut steps = Vec::new();
        self.fixed
            .play
            .steps(&self.fixed.kit, &self.state, seat, &mut steps);
        let mut texts: Vec<String> = steps
            .iter()
            .map(|s| self.fixed.play.say(&self.fixed.kit, &self.state, s))
            .collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }
    fn may_stop(&self, seat: Seat) -> bool {
        self.fixed.play.may_stop(&self.fixed.kit, &self.state, seat)
    }
    fn step(
        &mut self,
        seat: Seat,
        canonical: &str,
        dice: &mut dyn Dice,
        out: &mut Vec<Happening>,
    ) -> bool {
        let Fixed { kit, play } = &*self.fixed;
        let mut steps = Vec::new();
        play.steps(kit, &self.state, seat, &mut steps);
        let Some(step) = steps
            .iter()
            .find(|s| play.say(kit, &self.state, s) == canonical)
        else {
            return false;
        };
        play.step(kit, &mut self.state, seat, step, dice, out);
        true
    }
    fn bind(&mut self, seat: Seat, square: &str) -> bool {
        let Fixed { kit, play } = &*self.fixed;
        kit.square(square)
            .is_some_and(|sq| play.bind(kit, &mut self.state, seat, sq))
    }
    fn stop(&mut self, seat: Seat, dice: &mut dyn Dice, out: &mut Vec<Happening>) {
        let Fixed { kit, play } = &*self.fixed;
        play.stop(kit, &mut self.state, seat, dice, out);
    }
    fn forced(&self, seat: Seat) -> Option<String> {
        let Fixed { kit, play } = &*self.fixed;
        let step = play.forced(kit, &self.state, seat)?;
        Some(play.say(kit, &self.state, &step))
    }
    fn ending(&self) -> Option<Ending> {
        self.fixed.play.ending(&self.fixed.kit, &self.state)
    }
    fn draw_claim(&self) -> Option<String> {
        self.fixed.play.draw_claim(&self.fixed.kit, &self.state)
    }
    fn turn_no(&self) -> u32 {
        self.fixed.play.turn_no(&self.state)
    }
    fn why_not(&self, seat: Seat, text: &str) -> Option<String> {
        self.fixed
            .play
            .why_not(&self.fixed.kit, &self.state, seat, text)
    }
    fn view(&self, eyes: Option<Seat>) -> View {
        self.fixed.play.view(&self.fixed.kit, &self.state, eyes)
    }
    fn save(&self) -> Vec<u8> {
        // Writing plain data into memory cannot fail; an empty snapshot would be refused by `load`.
        postcard::to_allocvec(&self.state).unwrap_or_default()
    }
    fn perft(&self, depth: u32) -> u64 {
        let Fixed { kit, play } = &*self.fixed;
        super::perft::turns(kit, play, &self.state, depth)
    }
    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        let Fixed { kit, play } = &*self.fixed;
        let mut out = Vec::new();
        for ask in self.asks().iter().filter(|ask| ask.what == What::Turn) {
            let mut steps = Vec::new();
            play.steps(kit, &self.state, ask.seat, &mut steps);
            out.extend(steps.iter().map(|step| {
                let count =
                    super::perft::behind(kit, play, &self.state, ask.seat, step, depth.max(1));
                (play.say(kit, &self.state, step), count)
            }));
        }
        out.sort_unstable();
        out
    }
    fn steps_exactly(&self, steps: u32) -> u64 {
        super::perft::steps(&self.fixed.kit, &self.fixed.play, &self.state, steps)
    }
    fn kit(&self) -> &Kit {
        &self.fixed.kit
    }
}

/// A rulebook with a position on it.
pub struct Table {
    book: Arc<Rulebook>,
    options: Options,
    at: Box<dyn Position>,
}

impl Clone for Table {
    fn clone(&self) -> Self {
        Table {
            book: Arc::clone(&self.book),
            options: self.options.clone(),
            at: self.at.boxed(),
        }
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.book.id == other.book.id
            && self.options == other.options
            && self.at.save() == other.at.save()
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({}, {:?})", self.book.id, self.at)
    }
}

impl Table {
    /// Sets up a game.
    ///
    /// # Errors
    /// An option that the game does not have.
    pub fn begin(
        book: &Arc<Rulebook>,
        options: &Options,
        dice: &mut dyn Dice,
    ) -> Result<(Table, Vec<Happening>), SpecError> {
        let mut out = Vec::new();
        let at = book.rules(options)?.begin(dice, &mut out);
        let table = Table {
            book: Arc::clone(book),
            options: options.clone(),
            at,
        };
        Ok((table, out))
    }

    /// Sets up a position given by a record's header.
    ///
    /// # Errors
    /// A game without such positions, or one that makes no sense.
    pub fn arrange(
        book: &Arc<Rulebook>,
        options: &Options,
        position: &serde_json::Value,
    ) -> Result<Table, SpecError> {
        Ok(Table {
            book: Arc::clone(book),
            options: options.clone(),
            at: book.rules(options)?.arrange(position)?,
        })
    }

    /// A position out of [`Table::save`].
    ///
    /// # Errors
    /// Bytes that are no position of this game.
    pub fn load(book: &Arc<Rulebook>, options: &Options, bytes: &[u8]) -> Result<Table, SpecError> {
        Ok(Table {
            book: Arc::clone(book),
            options: options.clone(),
            at: book.rules(options)?.load(bytes)?,
        })
    }

    /// The position as bytes (postcard).
    pub fn save(&self) -> Vec<u8> {
        self.at.save()
    }
    /// The rulebook.
    pub fn book(&self) -> &Arc<Rulebook> {
        &self.book
    }
    /// The options chosen when it was set up.
    pub fn options(&self) -> &Options {
        &self.options
    }
    /// Board, seats and pieces.
    pub fn kit(&self) -> &Kit {
        self.at.kit()
    }
    /// Who owes what; empty only when the game is over.
    pub fn asks(&self) -> Vec<Ask> {
        if self.at.ending().is_some() {
            Vec::new()
        } else {
            self.at.asks()
        }
    }
    /// How it ended, if it did.
    pub fn ending(&self) -> Option<Ending> {
        self.at.ending()
    }
    /// Why a draw may be claimed now, if it may.
    pub fn draw_claim(&self) -> Option<String> {
        self.at.draw_claim()
    }
    /// Number of turns begun, all seats counted.
    pub fn turn_no(&self) -> u32 {
        self.at.turn_no()
    }
    /// What a seat may see; `None` is the public.
    pub fn view(&self, eyes: Option<Seat>) -> View {
        self.at.view(eyes)
    }
    /// Step sequences of `depth` turns.
    pub fn perft(&self, depth: u32) -> u64 {
        self.at.perft(depth)
    }
    /// The same by first step, sorted by its text; `depth` is at least 1.
    pub fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        self.at.divide(depth)
    }
    /// Ordered lists of exactly this many steps within the present turn.
    pub fn steps_exactly(&self, steps: u32) -> u64 {
        self.at.steps_exactly(steps)
    }

    /// Legal canonical texts for what the seat is asked; empty where it is asked nothing of the kind.
    pub fn choices(&self, seat: Seat, what: What) -> Vec<String> {
        if self.asks().contains(&Ask { seat, what }) {
            self.at.texts(seat)
        } else {
            Vec::new()
        }
    }

    /// What may follow these canonical steps in the turn of `seat`.
    ///
    /// # Errors
    /// The seat is not asked, or a step is not legal.
    pub fn next(&self, seat: Seat, so_far: &[&str]) -> Result<Next, Wrong> {
        if !self.asks().iter().any(|a| a.seat == seat) {
            return Err(Wrong::NotAsked);
        }
        let mut at = self.at.boxed();
        let mut done = Vec::new();
        for text in so_far {
            let step = order::find(&mut *at, seat, text, &done)?;
            if !at.step(seat, &step, &mut NoDice, &mut Vec::new()) {
                return Err(Wrong::NotAsked);
            }
            done.push(step);
        }
        Ok(if at.ending().is_some() {
            Next {
                steps: Vec::new(),
                may_stop: true,
            }
        } else {
            Next {
                steps: at.texts(seat),
                may_stop: at.may_stop(seat),
            }
        })
    }

    /// Plays a whole order or nothing: a turn `Nc1-d3; Mc6*b7`, `pick amazon`, `place A@b2`,
    /// `start green`, `exchange first`. The table itself is untouched.
    ///
    /// # Errors
    /// [`Wrong`], with the first bad step and what would be legal.
    pub fn act(
        &self,
        seat: Seat,
        order: &str,
        dice: &mut dyn Dice,
    ) -> Result<(Table, Vec<Happening>), Wrong> {
        let ask = self
            .asks()
            .into_iter()
            .find(|a| a.seat == seat)
            .ok_or(Wrong::NotAsked)?;
        let mut at = self.at.boxed();
        let mut out = Vec::new();
        if ask.what == What::Turn {
            order::play_turn(&mut *at, seat, order, dice, &mut out)?;
        } else {
            let step = order::choose(&mut *at, seat, order.trim())?;
            at.step(seat, &step, dice, &mut out);
        }
        if let Some(ending) = at.ending() {
            out.push(Happening::Ended(ending));
        }
        let table = Table {
            book: Arc::clone(&self.book),
            options: self.options.clone(),
            at,
        };
        Ok((table, out))
    }
}
