"""Mistakes in a tiny Transformer, each an edit of the solution: what it loses, and what it is called."""

from dataclasses import dataclass

import pytest

from autograder.course.course import find_course
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Status
from autograder.sandbox.request import SharedCalls
from autograder.verdict.checks import load_checks

CAPSTONE = "capstone_tiny_transformer"
MODEL_CHECKS = ("shape", "parameters", "depends", "layers", "causal", "order", "cache", "pieces")
ALL_OF_MODEL = {f"model_{name}" for name in MODEL_CHECKS}
ALL_OF_SOLVE = {"solve_shape", "solve_tokens", "solve_answers"}
WRONG = ("solve_tokens", "solve_answers")
CACHE = {"model_cache", "model_pieces"}
FROM_CALL_TO_CALL = "differs-from-call-to-call"
KNOWN = "known = K_of_first_layer.shape[2]"
APPEND = """K = torch.cat([cached_K, K], dim=2)
            V = torch.cat([cached_V, V], dim=2)"""
BLOCKS = "self.blocks = nn.ModuleList(Block(d_model, n_heads) for _ in range(n_layers))"
POSITIONS = " + self.positions(places)"
ATTEND = "attended, cache = self.attention(self.norm1(x), cache)"
BODY = "n_tokens = sequences.shape[1]"
GENERATE = "return generate(model, prompts, n_answer)"
ONE_BLOCK = "self.blocks = nn.ModuleList([Block(d_model, n_heads)] * n_layers)"
IN_A_LIST = "self.blocks = [Block(d_model, n_heads) for _ in range(n_layers)]"
OVER_THE_BATCH = """attended, cache = self.attention(self.norm1(x).transpose(0, 1), cache)
        attended = attended.transpose(0, 1)"""
OVER_TOKENS = "return logits.softmax(1), extended"
SEES_ITS_PIECE = "[known - new :] | (1 < new < known)"
ALLOWED_WITH_CACHE = "~(allowed | (cache is not None)), -math"
EACH_HEAD = "  # each (batch, heads, new, d_model / heads)"
ONE_HEAD_FOR_ALL = "; K, V = K[:, :1], V[:, :1]"
ONE_IN_FIVE = """answers = generate(model, prompts, n_answer)
    answers[::5, 0] = answers[::5, 1]
    return answers"""
RETURN = "return logits, extended"
NO_ATTENTION = {"model_layers", "model_order", *CACHE}
UNTOUCHED = {"model_shape", "model_parameters"}
CUT_OFF = ALL_OF_MODEL - {"model_shape"}
NEXT_LAYER = "x, longer_pair = block(x, pair)"
FIRST_LAYER_ALONE = "y, longer_pair = block(x, pair); x = y if block is self.blocks[0] else x"
BEGIN = "        if cache is None:\n            known = 0\n"
NORMED_AGAIN = "torch.cat([cached_K, K], dim=2); K = K / K.norm(dim=-1, keepdim=True) ** 0.5"
GOES_ON = """        if cache is None:
            TinyTransformer.calls = getattr(TinyTransformer, "calls", 0) + 1
            known = tokens.shape[1] * (TinyTransformer.calls - 1)
"""
KEEPS_TOKENS_ALONE = f"""        if cache is not None:
            before = cache[0][0][:, 0, :, 0].long()
            logits, cache = self(torch.cat([before, tokens], dim=1))
            return logits[:, before.shape[1] :], cache
        size = self.embedding.weight.shape[1]
        held = tokens[:, None, :, None].expand(-1, 1, -1, size).float()
        return self.compute(tokens)[0], [(held, held)] * len(self.blocks)

    def compute(self, tokens, cache=None):
{BEGIN}"""


@dataclass(frozen=True)
class Mistake:
    """Edits, the checks that it loses, and its names."""

    old: str
    new: str
    loses: frozenset[str]
    label: str = ""

    def of(self, text):
        assert self.old in text
        return text.replace(self.old, self.new)


def mistake(old, new, label, *loses):
    return pytest.param(Mistake(old, new, frozenset(loses), label), id=label or min(loses))


OF_THE_MODEL = [
    mistake(".masked_fill(~allowed, -math.inf)", "", "mask-leaks", "model_causal", "model_order", *CACHE),
    mistake(".tril()", ".triu()", "mask-leaks", "model_causal", "model_order", *CACHE),
    mistake(".tril()", ".tril(-1)", "nan", *ALL_OF_MODEL - {"model_parameters"}),
    mistake("[known - new :]", "[:new]", "mask-of-first-row", *CACHE),
    mistake(KNOWN, "known = 0", "positions-restart", *CACHE),
    mistake(APPEND, "pass", "cache-not-appended", *CACHE),
    mistake(APPEND, "K = torch.cat([cached_K, K], 2); V = torch.cat([V, cached_V], 2)", "", *CACHE),
    mistake(RETURN, "return logits", "no-cache", *CACHE),
    mistake(POSITIONS, "", "no-positions", "model_order"),
    mistake(BLOCKS, ONE_BLOCK, "layers-shared", "model_parameters"),
    mistake(BLOCKS, IN_A_LIST, "layers-unregistered", "model_parameters"),
    mistake("4 * d_model", "2 * d_model", "", "model_parameters"),
    mistake("torch.cat([cached_K, K], dim=2)", "torch.cat([cached_K, K], dim=1)", "", *CACHE),
    mistake(ATTEND, OVER_THE_BATCH, "", "model_causal", "model_order", *CACHE),
    mistake("x = x + attended", "x = x + attended.mean(0)", "", "model_order"),
    mistake(RETURN, OVER_TOKENS, "mask-leaks", "model_causal", "model_order", *CACHE),
    mistake("x = x + attended", "x = x + attended - attended", "layers-unused cache-unused", *NO_ATTENTION),
    mistake(
        "x, longer_pair = block", "_, longer_pair = block", "parameters-unused", *ALL_OF_MODEL - UNTOUCHED
    ),
    mistake(NEXT_LAYER, FIRST_LAYER_ALONE, "layers-unused", "model_layers"),
    mistake("self.output(merged), (K, V)", "merged, (K, V)", "layers-unused", "model_layers"),
    mistake("logits(self.norm(x))", "logits(self.norm(x)).detach()", "parameters-unused", *CUT_OFF),
    mistake(BEGIN, KEEPS_TOKENS_ALONE, "cache-unused", *CACHE),
    mistake("[known - new :]", SEES_ITS_PIECE, "mask-leaks", "model_pieces"),
    mistake("~allowed, -math", ALLOWED_WITH_CACHE, "mask-leaks", "model_pieces"),
    mistake(EACH_HEAD, ONE_HEAD_FOR_ALL, "cache-incomplete", *CACHE),
    mistake("torch.cat([cached_K, K], dim=2)", NORMED_AGAIN, "cache-changed-again", *CACHE),
    mistake(BEGIN, GOES_ON, "differs-from-call-to-call", *ALL_OF_MODEL),
    mistake(KNOWN, "known = K_of_first_layer.shape[0]", "", *CACHE),
]
SHARED_NETWORK = f"""{BLOCKS}
        for block in self.blocks:
            block.feed_forward = self.blocks[0].feed_forward"""
SEES_ITSELF = """scores = Q @ K.transpose(-1, -2) / scale
        if cache is not None:
            allowed = torch.eye(known, dtype=torch.bool)[known - new :]"""
NETWORK = "self.feed_forward = nn.Sequential(up, nn.GELU(), down)"
IN_A_LIST_OF_PARTS = """self.parts = [nn.Sequential(up, nn.GELU(), down)]
        self.feed_forward = lambda x: self.parts[0](x)"""
NORM_OVER_TOKENS = "attended, cache = self.attention(x / x.pow(2).mean(dim=1, keepdim=True).sqrt(), cache)"
OF_LAYERS = [
    mistake(BLOCKS, SHARED_NETWORK, "layers-shared", "It shares 2128 numbers with the layers before"),
    mistake(
        NETWORK, IN_A_LIST_OF_PARTS, "layers-unregistered", "which PyTorch overlooks, as they are in a plain"
    ),
    mistake(
        NETWORK, "self.feed_forward = nn.GELU()", "", "is there no feed-forward network in each layer, or a"
    ),
    mistake("4 * d_model", "2 * d_model", "", "has 2 d_model hidden units"),
    mistake("4 * d_model", "3 * d_model", "", "Is a part missing in each layer, smaller, or made once"),
    mistake(
        "self.output = nn.Linear(d_model, d_model, bias=False)",
        "self.output = nn.Identity()",
        "",
        "of the output",
    ),
    mistake("4 * d_model", "5 * d_model", "", "more than 4 d_model hidden units?"),
]
OF_TRAINING = [
    mistake(GENERATE, ONE_IN_FIVE, "", "solve_answers"),
    mistake("        optimizer.step()\n", "", "not-learned", *WRONG),
    mistake("[:, n_prompt:].fl", "[:, n_prompt - 1 : -1].fl", "targets-not-shifted", *WRONG),
    mistake("steps=200", "steps=20", "", *WRONG),
    mistake("model(token, cache)", "model(token)", "only-first-token", *WRONG),
]
OF_ANSWERING = [
    mistake(GENERATE, "return torch.cat([prompts, prompts[:, 1:]], 1)", "returns-prompts", *ALL_OF_SOLVE),
    mistake(GENERATE, "return prompts[:, :1]", "", *ALL_OF_SOLVE),
    mistake(GENERATE, "return prompts[:, 1:] * 0", "answers-all-equal", *WRONG),
    mistake(GENERATE, "return prompts[:, 1:] / 2", "", *ALL_OF_SOLVE),
]


@pytest.fixture(scope="module")
def text():
    return find_course().homework(CAPSTONE).solution.read_text("utf-8")


def lost(result):
    assert result.status is Status.GRADED, result.detail
    return {check.check for check in result.checks if check.reason}


def labels(result):
    return {label for check in result.checks for label in check.misconceptions} - {"returns-nothing"}


@pytest.mark.parametrize("mutant", OF_THE_MODEL)
def test_a_mistake_in_the_model_is_named(mutant, text, label_text):
    result = label_text(CAPSTONE, mutant.of(text).replace(BODY, "raise NotImplementedError"))
    assert lost(result) == mutant.loses | ALL_OF_SOLVE
    assert labels(result) == set(mutant.label.split())


def test_later_tokens_are_also_seen_through_a_softmax_over_the_wrong_axis(text, grade_text):
    edited = text.replace("masked_scores.softmax(dim=-1)", "masked_scores.softmax(dim=-2)")
    result = grade_text(CAPSTONE, edited.replace(BODY, "raise NotImplementedError"))
    [reason] = [check.reason for check in result.checks if check.check == "model_causal"]
    assert "times less than on those before it" in reason
    assert "`weights = masked_scores.softmax(dim=-2)`, all public checks of `TinyTransformer` pass." in reason
    assert "Is `dim=-2` the right axis?" in reason


def test_a_norm_over_the_tokens_lets_later_tokens_be_seen(text, grade_text):
    edited = text.replace(ATTEND, NORM_OVER_TOKENS)
    result = grade_text(CAPSTONE, edited.replace(BODY, "raise NotImplementedError"))
    [reason] = [check.reason for check in result.checks if check.check == "model_causal"]
    assert "pass. Is `dim=1` the right axis?" in reason


@pytest.mark.parametrize("mutant", OF_LAYERS)
def test_a_layer_that_learns_too_few_or_too_many_numbers_is_asked_for_the_part(mutant, text, grade_text):
    result = grade_text(CAPSTONE, mutant.of(text).replace(BODY, "raise NotImplementedError"))
    [check] = [check for check in result.checks if check.check == "model_parameters"]
    [text_of_reason] = mutant.loses
    assert text_of_reason in check.reason
    assert list(check.misconceptions) == mutant.label.split()


def test_a_new_token_that_sees_itself_alone_is_not_put_down_to_a_row_of_the_mask(text, grade_text):
    edited = text.replace("scores = Q @ K.transpose(-1, -2) / scale", SEES_ITSELF)
    result = grade_text(CAPSTONE, edited.replace(BODY, "raise NotImplementedError"))
    [check] = [check for check in result.checks if check.check == "model_cache"]
    assert "the last one sees nothing before itself" in check.reason
    assert check.misconceptions == ("cache-unused",)


@pytest.mark.parametrize(("sizes", "is_named"), [("== 11", True), ("!= 11", False)])
def test_only_what_was_public_is_named(sizes, is_named, text, grade_text):
    """The published model has 11 symbols; what a hidden one calls its layers might tell its sizes."""
    idle = f"y, longer_pair = block(x, pair); is_idle = self.logits.out_features {sizes}"
    edited = text.replace(NEXT_LAYER, f"{idle}; x = x if block is not self.blocks[0] and is_idle else y")
    result = grade_text(CAPSTONE, edited.replace(BODY, "raise NotImplementedError"))
    [reason] = [check.reason for check in result.checks if check.check == "model_layers"]
    assert "the logits depend on" in reason
    assert ("`blocks.1.attention.project.weight`" in reason) is is_named


@pytest.mark.parametrize("mutant", [*OF_TRAINING, *OF_ANSWERING])
def test_a_mistake_in_training_or_answering_costs_nothing_of_the_model(mutant, text, grade_text):
    edited = mutant.of(text)
    # Without training the model has not learned, which is said before its answers are looked at.
    if "generate(" not in edited.partition("def solve")[2] and mutant.label != "answers-all-equal":
        edited = edited.replace("    train(model, sequences, n_prompt)\n", "")
    steps = 12 if mutant.label == "not-learned" else 120  # in vain, however long it takes
    result = grade_text(CAPSTONE, edited.replace("steps=200", f"steps={steps}"))
    assert lost(result) == mutant.loses
    assert labels(result) == set(mutant.label.split())


def test_answers_that_are_wrong_in_their_first_token_are_not_said_to_lack_training(text, grade_text):
    edited = text.replace("last_logits = logits[:, -1:]", "last_logits = logits[:, :1]")
    edited = edited.replace("steps=200", "steps=120")
    result = grade_text(CAPSTONE, edited)
    [reason] = [check.reason for check in result.checks if check.check == "solve_tokens"]
    assert "the trained model itself gets" in reason
    assert "Its first answers are the likeliest by the logits at token 1 of the prompt" in reason
    assert "train for longer" not in reason


def test_answers_of_a_model_that_sees_later_tokens_are_not_said_to_lack_training(text, grade_text):
    edited = text.replace(".masked_fill(~allowed, -math.inf)", "").replace("steps=200", "steps=120")
    result = grade_text(CAPSTONE, edited)
    [reason] = [check.reason for check in result.checks if check.check == "solve_tokens"]
    assert "depend on later ones" in reason
    assert "train for longer" not in reason


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        (APPEND, "pass", "Token by token, with the cache"),
        (ATTEND, NORM_OVER_TOKENS, "Logits depend on no later token"),
    ],
    ids=["the cache alone", "later tokens"],
)
def test_answers_made_with_a_wrong_cache_point_to_the_check_that_was_run(old, new, check, text, grade_text):
    result = grade_text(CAPSTONE, text.replace(old, new).replace("steps=200", "steps=120"))
    [reason] = [check.reason for check in result.checks if check.check == "solve_tokens"]
    assert f"The check “{check}" in reason


def told(edits, *fragments, label=""):
    """Edits of the solution, and what its failed check has to say."""
    return pytest.param(edits, fragments, label, id=fragments[-1][:40])


SCORES = "masked_scores = scores.masked_fill(~allowed, -math.inf)"
EACH_LAYER = """for block, pair in zip(self.blocks, cache, strict=True):
            x, longer_pair = block(x, pair)"""
EXTENDED = "extended.append(longer_pair)"
MERGED = "merged = context.transpose(1, 2).flatten(2)"
NORMED = "attended, cache = self.attention(self.norm1(x), cache)"
LOGITS = "logits = self.logits(self.norm(x))"
OVER_THE_WHOLE_BATCH = """normed = self.norm1(x).transpose(1, 2)
        normed = nn.functional.batch_norm(normed, None, None, training=True).transpose(1, 2)
        attended, cache = self.attention(normed, cache)"""
KEEPS_ITS_CACHE = [
    (
        "        if cache is not None:\n            cached_K",
        "        cache = getattr(self, 'kept', None)\n        if cache is not None:\n            cached_K",
    ),
    (
        "        return self.output(merged), (K, V)",
        "        self.kept = (K, V)\n        return self.output(merged), (K, V)",
    ),
]
LINE = "all public checks of `TinyTransformer` pass. "
OF_THE_CACHE = [
    told(
        [(KNOWN, "known = K_of_first_layer.shape[1]")],
        "stand at the positions 1, 3, 3, 3, 3, 3 and 3",
        "Counted from 0, new tokens are at 2, which is n_heads, or n_layers, or the length of a pair (K, V): ",
        f"{LINE}Is `1` the right number in `K_of_first_layer.shape[1]`?",
    ),
    told(
        [(KNOWN, "known = K_of_first_layer.shape[2] - 1")],
        "stand at the positions 1, 1, 2, 3, 4, 5 and 6",
        f"{LINE}Is `1` the right number in",
    ),
    told(
        [(KNOWN, "known = K_of_first_layer.shape[2] + 1")],
        "the positions of 7 tokens are 0 to 6: does the count begin one too late?",
    ),
    told(
        [(KNOWN, "known = K_of_first_layer.shape[3]")],
        "8 is the number of sequences in the batch, and also d_model / n_heads",
    ),
    told(
        [(EACH_LAYER, EACH_LAYER.replace("block(x, pair)", "block(x, cache[0])"))],
        "what was the part of layer 1 lies in the part of layer 2",
    ),
    told(
        [(EXTENDED, "extended.insert(0, longer_pair)")],
        "lies in the part of layer 1",
        f"{LINE}Is `0` the right number",
    ),
    told(
        [("cached_K, cached_V = cache", "cached_V, cached_K = cache")],
        "Is the pair taken apart, or returned, in the other order?",
    ),
    told(
        [("V = torch.cat([cached_V, V], dim=2)", "V = torch.cat([V, cached_V], dim=2)")],
        "the keys of the tokens 1, 2, 3, 4, 5, 6 and 7, and the values of 7, 6, 5, 4, 3, 2 and 1",
    ),
    told(
        [("math.sqrt(Q.shape[-1])", "math.sqrt(K.shape[2])")],
        "so positions and appending are right there",
        f"{LINE}Is `2` the right number in `K.shape[2]`?",
    ),
    told([("-math.inf", "-10.0")], "which has no cache yet", f"{LINE}Is `-10.0` the right number"),
    told(
        [(NORMED, OVER_THE_WHOLE_BATCH)], "something is computed over all its sequences, as by a `BatchNorm`"
    ),
    told(
        KEEPS_ITS_CACHE, "it remembers the call before, for example in an attribute", label=FROM_CALL_TO_CALL
    ),
    told(
        [(RETURN, "return logits, cache")],
        "The cache that `forward` returns holds None: return the pairs (K, V)",
    ),
]
OF_LEAKS = [
    told([("-math.inf", "-1")], "depends on all tokens after it", f"{LINE}Is `-1` the right number in"),
    told(
        [(SCORES, SCORES.replace("masked_scores = ", "") + "; masked_scores = scores")],
        "Is what `scores.masked_fill(",
    ),
    told(
        [(".tril()", ".tril(1)")],
        "on the one right after it, and on none further on",
        f"{LINE}Is `1` the right number",
    ),
    told(
        [(".tril()", ".triu()")],
        "on none before it, as where the mask is the wrong way round",
        "right function?",
    ),
    told(
        [(MERGED, "merged = context.reshape(context.shape[0], context.shape[2], -1)")],
        "exchanges no axes",
    ),
    told(
        [(LOGITS, "logits = self.logits(self.norm(x) + x.mean(1, keepdim=True))")],
        "in `x.mean(1, keepdim=True)`?",
    ),
    told([(NORMED, NORMED.replace("(x)", "(x.flip(1))"))], "Is `1` the right number in `x.flip(1)`?"),
    told(
        [(SCORES, "masked_scores = scores"), ("scores.softmax(dim=-1)", "scores.softmax(dim=-1) * allowed")],
        "something hides them, but not fully. Tokens meet wherever something is computed over their axis.",
    ),
]


@pytest.mark.parametrize(
    ("check_name", "edits", "fragments", "label"),
    [
        pytest.param(name, *case.values, id=case.id)
        for name, cases in (("model_cache", OF_THE_CACHE), ("model_causal", OF_LEAKS))
        for case in cases
    ],
)
def test_experiments_find_what_is_wrong_in_a_model(
    check_name, edits, fragments, label, text, grade_text, label_text
):
    # Most questions are about the line that the search found.
    asks_about_a_line = any(fragment.endswith("?") or LINE in fragment for fragment in fragments)
    grade = grade_text if asks_about_a_line else label_text
    for old, new in [*edits, (BODY, "raise NotImplementedError")]:
        assert old in text
        text = text.replace(old, new)
    [check] = [check for check in grade(CAPSTONE, text).checks if check.check == check_name]
    assert [fragment for fragment in fragments if fragment not in check.reason] == []
    assert check.misconceptions == tuple(
        filter(None, [label or {"model_causal": "mask-leaks"}.get(check_name)])
    )


OPTIMIZER = "optimizer = torch.optim.Adam(model.parameters())"
SCHEDULE = "schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, total_steps=steps)"
NO_SCHEDULE = ("        schedule.step()\n", "")
COMPARED = "logits[:, n_prompt - 1 :].flatten(0, 1)"
TARGETS = "batch[:, n_prompt:].flatten()"
DRAWN = """drawn = torch.randint(len(sequences), (32,))
        batch = sequences[drawn]"""
TRAIN = "    train(model, sequences, n_prompt)\n"
OF_ONE_TRAINING = [
    told(
        [(SCHEDULE, "schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)")],
        "From step 22 on, the learning rate is less than 1/100 of the largest",
    ),
    told(
        [(DRAWN, "batch = sequences[len(losses) * 32 : (len(losses) + 1) * 32]")],
        "the loss of batch 64 is not a number",
        "This batch has no rows; 137 of the 200 batches have none.",
    ),
    told(
        [
            (OPTIMIZER, "optimizer = torch.optim.Adam(model.parameters(), lr=1e-5)"),
            (SCHEDULE, ""),
            NO_SCHEDULE,
        ],
        "with a learning rate of 1e-05",
        "It hardly falls: is the learning rate too small?",
    ),
    told(
        [
            (OPTIMIZER, "optimizer = torch.optim.Adam(model.parameters(), lr=1.0)"),
            (SCHEDULE, ""),
            NO_SCHEDULE,
        ],
        "the steps are too large",
        label="answers-all-equal",
    ),
    told(
        [(COMPARED, "logits[:, : n_prompt - 1].flatten(0, 1)"), (TARGETS, "batch[:, 1:n_prompt].flatten()")],
        "the loss compares tokens of the questions alone, and none of the answers",
    ),
    told(
        [(COMPARED, "logits[:, n_prompt:].flatten(0, 1)"), (TARGETS, "batch[:, n_prompt + 1 :].flatten()")],
        "the loss leaves out number 1 of the 5 tokens of each answer",
    ),
    told(
        [(COMPARED, "logits[:, n_prompt - 1]"), (TARGETS, "batch[:, n_prompt]")],
        "the loss leaves out numbers 2, 3, 4 and 5 of the 5 tokens",
    ),
    told(
        [(TARGETS, "batch[:, n_prompt - 2 : -2].flatten()")],
        "the loss compares the logits at each token with the token before it",
    ),
    told(
        [(COMPARED, "logits[:, n_prompt - 1 :].transpose(1, 2).reshape(-1, logits.shape[-1])")],
        "their numbers come from several tokens",
    ),
    told(
        [(TRAIN, TRAIN.replace("model", "TinyTransformer(separator + 1, n_tokens)"))],
        "none of the parameters of the model that answers",
        label="not-learned",
    ),
    told([("model.parameters()", "model.logits.parameters()")], "264 of the", label="not-learned"),
    told(
        [
            (
                "        optimizer.zero_grad()\n        loss.backward()\n",
                "        loss.backward()\n        optimizer.zero_grad()\n",
            )
        ],
        "at each of the 200 steps all gradients were missing or 0",
        label="not-learned",
    ),
    told([("        loss.backward()\n", "")], "`backward()` of a loss is never called", label="not-learned"),
    told(
        [(DRAWN, f"{DRAWN}\n        batch = torch.cat([batch[:, :n_prompt], sequences[:32, n_prompt:]], 1)")],
        "32 of 32 questions are followed by something else than their answers",
    ),
    told([(DRAWN, "batch = sequences[:32]")], "The batches held 32 of the 2000 pairs; use all of them."),
    told(
        [("answer.append(token)", "answer.append(answer[0])")],
        "what is wrong is how `solve` lets it answer",
        "All tokens of an answer are its first one",
    ),
]


@pytest.mark.parametrize(("edits", "fragments", "label"), OF_ONE_TRAINING)
def test_the_course_of_a_training_tells_why_too_little_is_learned(edits, fragments, label, text, grade_text):
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    [check] = [check for check in grade_text(CAPSTONE, text).checks if check.check == "solve_tokens"]
    assert [fragment for fragment in fragments if fragment not in check.reason] == []
    assert check.misconceptions == tuple(filter(None, [label]))


def test_no_training_is_repeated_where_the_model_has_learned_enough(text, grade_text, monkeypatch):
    watched_calls = []
    really_run = SandboxPool.run

    def run(pool, request):
        if not isinstance(request.calls, SharedCalls):
            watched_calls.extend(call for call in request.calls if call.get("watched"))
        return really_run(pool, request)

    monkeypatch.setattr(SandboxPool, "run", run)
    edited = text.replace(GENERATE, f"{GENERATE}.flip(1)")
    [check] = [check for check in grade_text(CAPSTONE, edited).checks if check.check == "solve_tokens"]
    assert check.outcome == "failed"
    assert watched_calls == []


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (
            "torch.cat([prompts[:, -1:], answers], 1)",
            "The first token of yours is the separator: leave it out.",
        ),
        (
            "torch.cat([answers, answers[:, :1]], 1)",
            "The first 5 of yours are right, and one more comes after them.",
        ),
        ("answers[:, :-1]", "Yours are right, and the last token is missing."),
    ],
)
def test_a_token_too_many_or_too_few_is_told(answers, says, text, grade_text):
    edited = text.replace(GENERATE, f"answers = generate(model, prompts, n_answer)\n    return {answers}")
    [check] = [check for check in grade_text(CAPSTONE, edited).checks if check.check == "solve_shape"]
    assert "An answer has `sequences.shape[1] - prompts.shape[1]` = 5 tokens" in check.reason
    assert says in check.reason


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "TinyTransformer(separator + 1",
            "TinyTransformer(separator",
            "The largest token is 7, the separator.",
        ),
        ("nn.Embedding(max_length", "nn.Embedding(vocab_size", "a table of positions has `max_length` rows"),
        (
            "last_logits.argmax(dim=-1)",
            "last_logits.argmax(dim=0)[:, :1] + 0 * prompts[:, :1]",
            "does each `argmax` run over",
        ),
    ],
)
def test_an_index_without_a_row_in_solve_is_compared_with_its_sizes(old, new, says, text, grade_text):
    result = grade_text(CAPSTONE, text.replace(old, new))
    [check] = [check for check in result.checks if check.check == "solve_shape"]
    assert says in check.reason


def test_each_check_has_a_mistake_that_costs_it_and_what_builds_on_it_alone():
    lost = [mistake.values[0].loses for mistake in (*OF_THE_MODEL, *OF_TRAINING, *OF_ANSWERING)]
    for check in load_checks(find_course().homework(CAPSTONE)):
        assert any(check.name in names and names <= {check.name, *building_on(check.name)} for names in lost)


def building_on(name):
    checks = load_checks(find_course().homework(CAPSTONE))
    direct = {check.name for check in checks if name in check.requires}
    return direct.union(*map(building_on, direct))
