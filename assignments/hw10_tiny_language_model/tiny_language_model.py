"""A tiny language model in plain NumPy: it reads names character by character, and then invents new ones.

A name is a row of ids, one for each character. Id 0 stands for ".", which begins and ends every name. What is
called "Given" is complete: read it, use it, leave it as it is. Do not change the arguments in place.
"""

import numpy as np


def known_names():
    """Given: about two hundred names, most of them invented."""
    lines = """
        adalin ademar albina aldero alenka alwin amaro amelin andora anselo arvena astrin balian baltor
        barena belmin belora benaro bertola bianor birko bolan brena brisel cadora calven carmin casilo
        celaro celina ceron cirena colmar corbin corala dalena dalmir danila darven delina delmar dilko
        dolin doreno dunara durel elani elaro eldin elmira eloren elvan emelin endaro enora erlan ernila
        estor fabela falmir felino felora fenaro filko filena florin fonara galena galmir gareno gelina
        gilora gorman gralin gusto halina halmar helaro helmin henora hilda holan horena idalin ilano
        ilmara ilvin imaro inela iselin ivaro jalina jalmar jelino jenaro jolan jorin julena kalina
        kalmir karena kelan kelora kirko kolan korin lalena lamaro larven lavina lelora lerin liana
        lindor lomir lumina malina malven marelo melaro menora merlan milko mirano morena nadira nalena
        narven nelora nerina nilano noema noran odalin olena olmar onara orelin orlan osmira palina
        parven pelaro perina pilora polmar quenla quirin ralina ramiro relina rilko rolan romina rosalin
        sabela salmir selino selora silvan sirko solmar sunela talina talmir tarena telora tilko torin
        tovar tunela ulina ulmar umaro urena ursin valina valmir varena velora vilano vilko volmar
        vunela walena walmir welina wilora wulfin xanela xilor xorin yalina yelora yorin yulko zalena
        zelmir zerina zilko zolan
    """
    return lines.split()


def softmax(x):
    """Given: turn the last axis into probabilities, as in hw1."""
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def encode_names(names, alphabet):
    """Turn names into ids, and say for each character which one follows.

    Args:
        names: B texts, none of them empty.
        alphabet: a text; the character at place i has id i, and the first one begins and ends a name.

    Returns:
        (inputs, targets), whole numbers of shape (B, N), where N is the length of the longest name plus 1.
        A row of inputs is a 0 and the name's ids, then zeros; its targets are the name's ids and a 0, then -1.
    """
    # TODO 1: make inputs of zeros and targets of -1, as wide as the longest name needs.
    # TODO 2: write the ids of each name into its rows: inputs begin with a 0, targets end with one.
    raise NotImplementedError


def cross_entropy(logits, targets):
    """Measure how surprised the model is by what follows, also where logits are in the thousands.

    Args:
        logits: a number for each id that may follow, shape (B, N, V).
        targets: the ids that do follow, whole numbers of shape (B, N); places with -1 do not count.

    Returns:
        (loss, gradient): the mean of -log(probability of the target) over the places that count, and its
        gradient for the logits, shape (B, N, V).
    """
    # TODO 3: take the logarithm of the softmax without taking the logarithm of 0.
    # TODO 4: average over the places that count.
    # TODO 5: the gradient at a place that counts: probabilities less 1 at the target, divided by their number.
    raise NotImplementedError


def softmax_backward(weights, grad_weights):
    """Carry a gradient back through a softmax of the last axis.

    Args:
        weights: what the softmax returned, shape (..., n).
        grad_weights: the gradient of the loss for each weight, of the same shape.

    Returns:
        the gradient of the loss for each score, which the weights were made of, of the same shape.
    """
    # TODO 6: for each row, average grad_weights by the weights.
    # TODO 7: multiply the weights by how far grad_weights is above that average.
    raise NotImplementedError


def causal_block(X, W_q, W_k, W_v, W_1, W_2):
    """Let each character look at those before it and at itself (hw7), then pass it through a small network (hw6).

    Args:
        X: vectors of the characters, shape (B, N, D).
        W_q, W_k: weights of queries and keys, each (D, D_k).
        W_v: weights of values, shape (D, D).
        W_1, W_2: weights of the network, shapes (D, H) and (H, D); no biases.

    Returns:
        (weights, attended, output), shapes (B, N, N), (B, N, D) and (B, N, D): the attention weights, X plus what
        attention mixes, and that plus what the network makes of it.
    """
    # TODO 8: causal attention with one head: scaled scores, later characters hidden, softmax.
    # TODO 9: add the mixed values to X.
    # TODO 10: add the network's output: W_1, then 0 in place of negative numbers, then W_2.
    raise NotImplementedError


def predict(parameters, inputs):
    """Given: the logits of what follows each character, shape (B, N, V), from ids of shape (B, N).

    The parameters are (E, P, W_q, W_k, W_v, W_1, W_2, U): a vector for each id (V, D) and for each place, the
    weights of the block, and the weights of the logits (D, V).
    """
    E, P, *block, U = parameters
    n_places = inputs.shape[1]
    X = E[inputs] + P[:n_places]
    _, _, output = causal_block(X, *block)
    return np.asarray(output) @ U


def gradients(parameters, inputs, targets):
    """Given: the gradient of the loss for each parameter, from the logits back to the ids.

    Each product A @ B hands its gradient G on: G @ B.T goes to A, and A.T @ G to B.
    """
    E, P, W_q, W_k, W_v, W_1, W_2, U = parameters
    n_places = inputs.shape[1]
    X = E[inputs] + P[:n_places]
    weights, attended, output = map(
        np.asarray, causal_block(X, W_q, W_k, W_v, W_1, W_2)
    )
    _, grad_logits = map(np.asarray, cross_entropy(output @ U, targets))

    grad_output = grad_logits @ U.T
    hidden = (attended @ W_1).clip(min=0)
    grad_hidden = (grad_output @ W_2.T) * (hidden > 0)
    grad_attended = grad_output + grad_hidden @ W_1.T

    queries = X @ W_q  # (B, N, D_k), as the keys
    keys = X @ W_k
    values = X @ W_v
    grad_weights = grad_attended @ values.swapaxes(-1, -2)
    grad_scores = np.asarray(softmax_backward(weights, grad_weights)) / np.sqrt(
        keys.shape[-1]
    )
    grad_Q = grad_scores @ keys
    grad_K = grad_scores.swapaxes(-1, -2) @ queries
    grad_V = weights.swapaxes(-1, -2) @ grad_attended
    grad_X = grad_attended + grad_Q @ W_q.T + grad_K @ W_k.T + grad_V @ W_v.T

    def product(inputs_of_layer, gradient):
        rows = inputs_of_layer.reshape(-1, inputs_of_layer.shape[-1])
        return rows.T @ gradient.reshape(-1, gradient.shape[-1])

    grad_E = np.zeros(E.shape)
    np.add.at(grad_E, inputs, grad_X)
    grad_P = np.zeros(P.shape)
    grad_P[:n_places] = grad_X.sum(axis=0)
    return (
        grad_E,
        grad_P,
        product(X, grad_Q),
        product(X, grad_K),
        product(X, grad_V),
        product(attended, grad_hidden),
        product(hidden, grad_output),
        product(output, grad_logits),
    )


def train(parameters, inputs, targets, batches, rate):
    """Let the parameters descend, one step for each batch of names.

    Args:
        parameters: the eight arrays of `predict`.
        inputs, targets: the names, as encode_names returns them, shape (names, N).
        batches: which names each step learns from, whole numbers of shape (steps, batch).
        rate: how far a step goes.

    Returns:
        the eight arrays after the last step, in the same order: new arrays.
    """
    # TODO 11: at each step, take the gradients for the batch's names.
    # TODO 12: make new parameters: each one less the rate times its gradient.
    raise NotImplementedError


def sample(logits, temperature, draws, top_k=None):
    """Choose an id for each row, by a number that was drawn for it.

    Args:
        logits: shape (B, V).
        temperature: logits are divided by it; below 1 likely ids become likelier.
        draws: a number for each row, at least 0 and below 1, shape (B,).
        top_k: how many ids of a row may be chosen, those with the largest logits; None allows all.

    Returns:
        ids, whole numbers of shape (B,): the first id at which the sum of probabilities, from id 0 on, exceeds
        the draw.
    """
    # TODO 13: divide by the temperature; hide all but the top_k largest logits of each row.
    # TODO 14: add the probabilities up, and find the first sum above the draw.
    raise NotImplementedError


def new_parameters(n_ids, n_places, d_model=16, n_hidden=32):
    """Given: random parameters, the same ones in each call."""
    rng = np.random.default_rng(0)
    shapes = [(n_ids, d_model), (n_places, d_model)]
    shapes += [(d_model, d_model)] * 3
    shapes += [(d_model, n_hidden), (n_hidden, d_model), (d_model, n_ids)]
    drawn = []
    for shape in shapes:
        drawn.append(rng.normal(size=shape) / np.sqrt(shape[0]))
    return tuple(drawn)


def draw_batches(n_names, steps=300):
    """Given: 32 names for each step, drawn at random."""
    return np.random.default_rng(1).integers(n_names, size=(steps, 32))


def write_names(parameters, draws, temperature=0.8, top_k=None):
    """Given: invent a name for each row of draws, one character for each column, up to its end."""
    alphabet = ".abcdefghijklmnopqrstuvwxyz"
    ids = np.zeros((len(draws), 1), dtype=int)
    for column in draws.T:
        logits = predict(parameters, ids)
        chosen = sample(logits[:, -1], temperature, column, top_k)
        ids = np.concatenate([ids, np.reshape(chosen, (-1, 1))], axis=1)
    names = []
    for row in ids[:, 1:]:
        characters = "".join(alphabet[number] for number in row)
        name, _, _ = characters.partition(".")
        names.append(name)
    return names


def main():
    """Given: learn from the known names, and write new ones."""
    alphabet = ".abcdefghijklmnopqrstuvwxyz"
    names = known_names()
    inputs, targets = map(np.asarray, encode_names(names, alphabet))
    n_places = inputs.shape[1]
    untrained = new_parameters(len(alphabet), n_places)
    learned = train(untrained, inputs, targets, draw_batches(len(names)), 0.5)
    for parameters in (untrained, learned):
        loss, _ = cross_entropy(predict(parameters, inputs), targets)
        draws = np.random.default_rng(2).random((10, n_places))
        print(f"loss {loss:.2f}:", *write_names(parameters, draws))


if __name__ == "__main__":
    main()


# Theory questions: the handout has them in full. Replace None with your answers.
answers = {
    # Knowing nothing: a number
    "loss_of_ignorance": None,
    # A row of softmax_backward: a number
    "sum_of_the_row": None,
    # Close to temperature 0: "a", "b", "c" or "d"
    "low_temperature": None,
    # Why less the maximum: two or three sentences
    "why_less_the_maximum": None,
}
